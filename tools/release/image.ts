import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** What a release says of its image. */
export interface ImageReport {
  readonly digest: string;
  /** Bytes, compressed, as they are pulled. */
  readonly size: number;
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

/**
 * Builds the image of a commit.
 *
 * @param base the image that it is built on, which has Node and npm
 */
export function buildImage(images: Images, root: string, name: string, base: string, commit = 'HEAD'): void {
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: root, maxBuffer: 512 * 1024 ** 2 });
  const context = path.join(images.folder, `context-${name}`);
  mkdirSync(context);
  // What is committed, and nothing else that may lie in the checkout.
  execFileSync('tar', ['-x', '-C', context], { input: git('archive', '--format=tar', commit) });
  const secret = path.join(images.folder, 'npmrc');
  writeFileSync(secret, npmSettings(), { mode: 0o600 });
  const options = ['--build-arg', `BASE=${base}`, '--secret', `id=npmrc,src=${secret}`];
  images.build(name, context, timeOf(root, commit), ...options);
  rmSync(context, { recursive: true });
}

/** When a commit was made, in seconds. */
export function timeOf(root: string, commit = 'HEAD'): number {
  return Number(execFileSync('git', ['show', '--no-patch', '--format=%ct', commit], { cwd: root, encoding: 'utf8' }));
}

/** How npm reaches its registry from here: the build has another file system. */
function npmSettings(): string {
  const setting = (name: string): string => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
  const file = setting('cafile');
  const certificates =
    file === 'null' ? [] : (readFileSync(file, 'utf8').match(/-----BEGIN[^]+?-----END[^-]+-----/g) ?? []);
  const lines = certificates.map((each) => `ca[]="${each.replaceAll('\n', '\\n')}"`);
  return [`registry=${setting('registry')}`, ...lines, ''].join('\n');
}

/**
 * Writes an image as an archive in the format of OCI, which every engine loads, and says what is in it.
 */
export function exportImage(images: Images, name: string, file: string): ImageReport {
  const layout = path.join(images.folder, `layout-${name}`);
  images.run('push', '--quiet', name, `oci:${layout}`);
  const read = (digest: string): Manifest =>
    JSON.parse(readFileSync(path.join(layout, 'blobs', ...digest.split(':')), 'utf8')) as Manifest;
  const index = JSON.parse(readFileSync(path.join(layout, 'index.json'), 'utf8')) as {
    manifests: { digest: string }[];
  };
  const digest = index.manifests[0]?.digest ?? '';
  const { layers, config } = read(digest);
  mkdirSync(path.dirname(file), { recursive: true });
  const fixed = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', ['-cf', file, ...fixed, '-C', layout, '.']);
  const size = layers.reduce((sum, layer) => sum + layer.size, config.size);
  return { digest, size, layers: layers.map((layer) => ({ digest: layer.digest, size: layer.size })) };
}

interface Manifest {
  readonly config: { readonly size: number };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

/** A package of the system that an image is built on. */
export interface SystemPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

/** What is installed in an image, where it is a Debian; npm's packages are not among them. */
export function systemPackagesOf(images: Images, name: string): SystemPackage[] {
  const container = images.run('from', name);
  try {
    const status = path.join(images.run('mount', container), 'var/lib/dpkg/status');
    if (!existsSync(status)) return [];
    return readFileSync(status, 'utf8')
      .split('\n\n')
      .map((text) => new Map([...text.matchAll(/^(\w+): (.+)$/gm)].map(([, field = '', value = '']) => [field, value])))
      .filter((fields) => fields.get('Status') === 'install ok installed')
      .map((fields) => ({
        name: fields.get('Package') ?? '',
        version: fields.get('Version') ?? '',
        architecture: fields.get('Architecture') ?? '',
      }));
  } finally {
    images.run('rm', container);
  }
}
