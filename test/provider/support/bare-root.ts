import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { find } from '../../support/databases/parts.ts';

/** A system that the tests change their root to, and what it is like. */
export interface BareRoot {
  readonly folder: string;
  readonly what: string;
}

/** A Debian with nothing installed. */
export const bareDebian = (): BareRoot => ({ folder: find('debian'), what: 'a bare Debian' });

/**
 * A root with busybox and no C library. It stands in for Alpine, where terraform's own image comes from: what has musl there has
 * no use for it, and whatever else the provider took from the system is missing.
 */
export function busyboxRoot(folder: string): BareRoot {
  for (const name of ['bin', 'proc', 'dev', 'mnt']) mkdirSync(path.join(folder, name), { recursive: true });
  copyFileSync(find('busybox'), path.join(folder, 'bin/busybox'));
  symlinkSync('busybox', path.join(folder, 'bin/sh'));
  return { folder, what: 'a root with busybox and no C library' };
}

/** Starts a command in the folder `work`, as a system sees it that has nothing else. Its mounts end with it. */
export async function runInRoot(
  { folder }: BareRoot,
  work: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const mounts = `mount --bind "$0" "$1/mnt"
    mount -t proc proc "$1/proc"
    mount --bind /dev "$1/dev"
    root=$1
    shift
    exec chroot "$root" /bin/sh -c 'cd /mnt && exec "$@"' sh "$@"`;
  const child = spawn('unshare', ['--mount', 'sh', '-euc', mounts, work, folder, ...command], {
    env: { HOME: '/mnt', TMPDIR: '/mnt', PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [code, ...output] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, output: output.join('') };
}

/** A folder with terraform, a mirror with the release's archive, and a configuration. */
export function fillWork(work: string, address: string, archive: string, hcl: string): void {
  const mirror = path.join(work, 'mirror', address);
  mkdirSync(mirror, { recursive: true });
  copyFileSync(archive, path.join(mirror, path.basename(archive)));
  const terraform = execFileSync('readlink', ['-f', find('terraform')], { encoding: 'utf8' }).trim();
  copyFileSync(terraform, path.join(work, 'terraform'));
  writeFileSync(
    path.join(work, 'cli.tfrc'),
    'provider_installation {\n  filesystem_mirror {\n    path = "/mnt/mirror"\n  }\n}\n',
  );
  writeFileSync(path.join(work, 'main.tf'), hcl);
}
