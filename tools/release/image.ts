import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeOf, platforms } from './platforms.ts';

/** Builds and keeps images in a folder of its own, without a container engine: buildah with chroot isolation. */
export class Images implements Disposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'rolecall-image-'));

  /** Runs buildah. @returns what it printed */
  run(command: string, ...args: string[]): string {
    const store = ['--root', path.join(this.folder, 'store'), '--runroot', path.join(this.folder, 'run')];
    const options = [...store, '--storage-driver', 'vfs', command, ...args];
    return execFileSync('buildah', options, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 }).trim();
  }

  /**
   * Builds a Dockerfile. Times in the image are those of the commit, so that it can be built again and be the same.
   *
   * @param context the folder that COPY reads
   */
  build(name: string, context: string, time: number, ...options: string[]): void {
    const fixed = ['--isolation', 'chroot', '--format', 'oci', '--timestamp', String(time)];
    this.run('build', ...fixed, ...options, '--tag', name, context);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a release says of its image. */
export interface ImageReport {
  readonly digest: string;
  /** Bytes, compressed, as they are pulled. */
  readonly size: number;
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

/**
 * Builds the base image from Debian's packages and the pinned Node with npm: for those who take images from no registry.
 *
 * @param time in seconds, of everything in it
 */
export function buildBase(images: Images, root: string, time: number): void {
  const context = path.join(images.folder, 'base');
  mkdirSync(context);
  const options = ['--variant=essential', '--include=libstdc++6,libatomic1,ca-certificates'];
  execFileSync('mmdebstrap', [...options, '--quiet', 'bookworm', path.join(context, 'rootfs.tar')], {
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`, SOURCE_DATE_EPOCH: String(time) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const platform = platforms.find((each) => each.package === `node-${process.platform}-${process.arch}`);
  if (platform === undefined) throw new Error(`there is no image for ${process.platform} on ${process.arch}`);
  copyFileSync(nodeOf(platform, root).program, path.join(context, 'node'));
  packNpm(context);
  writeFileSync(path.join(context, 'Dockerfile'), base);
  images.build('base', context, time);
}

const base = `FROM scratch
ADD rootfs.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
`;

/** The npm that runs here, in its version. */
function packNpm(context: string): void {
  const version = execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim();
  const args = ['pack', '--silent', `npm@${version}`, '--pack-destination', context];
  const tarball = execFileSync('npm', args, { encoding: 'utf8' }).trim();
  mkdirSync(path.join(context, 'npm'));
  execFileSync('tar', [
    '-xzf',
    path.join(context, tarball),
    '-C',
    path.join(context, 'npm'),
    '--strip-components',
    '1',
  ]);
  rmSync(path.join(context, tarball));
}
