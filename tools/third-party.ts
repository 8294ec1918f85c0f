import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The name of the file with the licences of bundled packages, beside a bundle. */
export const licensesFile = 'THIRD-PARTY-LICENSES.txt';

const root = path.resolve(import.meta.dirname, '..');

/** The names of the packages that the modules of a bundle come from. */
export function packagesOf(modules: readonly string[]): string[] {
  const names = modules.flatMap((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

/** The licences of bundled packages, which have to be included. */
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
