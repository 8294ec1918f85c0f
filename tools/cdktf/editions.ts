/** The packages built from the one source in `provider/cdktf`, each for one of the two libraries. */
export interface Edition {
  /** The library that it is for, and the folder of its package in `provider/`. */
  readonly library: 'cdktf' | 'cdktn';
  /** The name of the package. */
  readonly name: string;
}

/** CDKTF, which is archived, and CDK Terrain, its successor, which kept the classes and changed the name. */
export const editions: readonly Edition[] = [
  { library: 'cdktf', name: '@rolecall/cdktf' },
  { library: 'cdktn', name: '@rolecall/cdktn' },
];

/** The source is written for this one. */
const original = 'cdktf';

/** Replaces every import of one library in a text (TypeScript, JavaScript or declarations) by the other. */
export function renameImports(text: string, { library }: Edition): string {
  return text.replace(
    /(\bfrom\s+|\bimport\s*\(\s*|\brequire\s*\(\s*|^\s*import\s+)(["'])cdktf\2/gm,
    (_, before: string, quote: string) => `${before}${quote}${library}${quote}`,
  );
}

/** Whether a module is the library itself, which the user of the package installs. */
export function isLibrary(id: string): boolean {
  return id === original || id === 'constructs';
}
