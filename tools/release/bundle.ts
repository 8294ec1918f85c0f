import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Manifest } from '../packages.ts';

/** The fields of a folder in package-lock.json; a link is one of the repository's own packages. */
interface Locked {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, Locked | undefined>>;

/**
 * Puts everything that a package needs into its tarball, in the versions of package-lock.json, whose hashes `npm ci` has
 * checked. Otherwise npm takes the newest versions that the dependencies allow, and would install versions that no one tested.
 *
 * @param tarballs of the package and of those of the repository that it depends on, by the packages' folders
 */
export function bundleDependencies(root: string, folder: string, tarballs: ReadonlyMap<string, string>): void {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as { packages: Lock };
  const stage = mkdtempSync(path.join(tmpdir(), 'rolecall-bundle-'));
  try {
    for (const place of reachedFrom(folder, packages)) {
      const target = path.join(stage, 'package', bundledPlace(place, folder, packages));
      const tarball = tarballs.get(place);
      if (tarball === undefined) copyPackage(path.join(root, place), target);
      else extract(tarball, target);
    }
    const file = path.join(stage, 'package/package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    const bundled = { ...manifest, bundleDependencies: Object.keys(manifest.dependencies ?? {}) };
    writeFileSync(file, `${JSON.stringify(bundled, null, 2)}\n`);
    const tarball = tarballs.get(folder) ?? '';
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', stage], {
      cwd: path.dirname(file),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    renameSync(path.join(stage, path.basename(tarball)), tarball);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The folders of a package and of everything it needs, found as Node finds them. */
function reachedFrom(folder: string, lock: Lock): Set<string> {
  const reached = new Set([folder]);
  // A set also iterates over members that are added meanwhile.
  for (const place of reached) {
    const { dependencies, optionalDependencies } = lock[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) reached.add(find(name, place, lock));
  }
  return reached;
}

function find(name: string, from: string, lock: Lock): string {
  for (let above = from; ; above = above.slice(0, Math.max(0, above.lastIndexOf('/')))) {
    const place = above === '' ? `node_modules/${name}` : `${above}/node_modules/${name}`;
    const locked = lock[place];
    if (locked !== undefined) return locked.link === true ? (locked.resolved ?? place) : place;
    if (above === '') throw new Error(`package-lock.json has no ${name}, which ${from} depends on`);
  }
}

/** Where a folder of the repository goes in the package: linked packages go beside the others. */
function bundledPlace(place: string, folder: string, lock: Lock): string {
  if (place === folder) return '.';
  for (const [link, locked] of Object.entries(lock)) {
    const own = locked?.link === true ? locked.resolved : undefined;
    if (own !== undefined && (place === own || place.startsWith(`${own}/node_modules/`)))
      return own === folder ? place.slice(own.length + 1) : `${link}${place.slice(own.length)}`;
  }
  return place;
}

/** Without the packages within it, which are copied where they are needed. */
function copyPackage(source: string, target: string): void {
  const within = path.join(source, 'node_modules');
  cpSync(source, target, { recursive: true, filter: (file) => file !== within });
}

function extract(tarball: string, target: string): void {
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components', '1']);
}
