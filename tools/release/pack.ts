import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { packageFolders, readManifest } from '../packages.ts';
import { bundleDependencies } from './bundle.ts';

/**
 * Packs every package as npm publishes it. The command line brings its dependencies along.
 *
 * @returns the tarballs, each after those that it depends on
 */
export function packPackages(root: string, folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  // Each package carries the licence, which is in Git once. npm packs no file from outside the package.
  for (const name of packageFolders) cpSync(path.join(root, 'LICENSE'), path.join(root, name, 'LICENSE'));
  const options = packageFolders.flatMap((name) => ['--workspace', name]);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...options];
  const printed = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  // npm 11.19 prints an object by name, older ones a list.
  const packed = Object.values(JSON.parse(printed) as Record<string, { name: string; filename: string }>);
  const byName = new Map(packed.map(({ name, filename }) => [name, path.join(folder, filename)]));
  const tarballs = new Map(packageFolders.map((name) => [name as string, byName.get(readManifest(name).name) ?? '']));
  bundleDependencies(root, 'cli', tarballs);
  return [...tarballs.values()];
}
