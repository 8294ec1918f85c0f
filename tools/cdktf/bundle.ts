import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { type Edition, isLibrary, renameImports } from './editions.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface Bundle {
  readonly code: string;
  /** Names of the packages that went into it. */
  readonly packages: readonly string[];
}

/**
 * One file of all modules, in CommonJS: what projects of CDKTF are, and what their tests under jest can load. What reads
 * definitions goes into it, since it is a package of ES modules, which jest cannot.
 */
export async function bundle(edition: Edition): Promise<Bundle> {
  const build = await rolldown({
    cwd: root,
    input: 'provider/cdktf/index.ts',
    platform: 'node',
    logLevel: 'warn',
    external: isLibrary,
    resolve: { conditionNames: ['source', 'import', 'node', 'default'] },
  });
  const { output } = await build.generate({ format: 'cjs', codeSplitting: false, exports: 'named' });
  await build.close();
  const [chunk] = output;
  return { code: renameImports(chunk.code, edition), packages: packagesOf(chunk.moduleIds) };
}

function packagesOf(modules: readonly string[]): string[] {
  const names = modules.flatMap((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

/** The licences of what went into a bundle, which have to go along. */
export function licensesOf(packages: readonly string[]): string {
  const texts = packages.map((name) => {
    const folder = path.join(root, 'node_modules', name);
    const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
    const manifest = path.join(folder, 'package.json');
    if (file === undefined || !existsSync(manifest)) throw new Error(`${name} has no licence to go along`);
    return `${name}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join('\n---\n\n');
}
