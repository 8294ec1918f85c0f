/**
 * `npm run build:provider`: builds the Terraform provider for the registry in `dist/terraform`: an executable without
 * dependencies, for the platform that it is built on, and in `dist/terraform/registry` its archive, checksums and manifest. On Linux the executable has its
 * shared libraries beside it, so that it starts in a slim Debian and on Alpine, too.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFlags } from '../../provider/flags.ts';
import { platformName, version } from '../../provider/release.ts';
import { sha256 } from '../release/checksums.ts';
import { licensesFile } from '../third-party.ts';
import { bundleProvider } from './bundle-provider.ts';
import { findSharedLibraries, type SharedLibraries } from './shared-libraries.ts';
import { type ZipEntry, zip } from './zip.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'dist/terraform');
/** Apart from the executable: with dev_overrides Terraform starts the first file of a folder whose name begins as the provider's does. */
const registry = path.join(folder, 'registry');
const executable = `terraform-provider-rolecall_v${version}`;
const release = `terraform-provider-rolecall_${version}`;
/** Beside the file that Terraform starts, where `rolecall terraform install` looks for them too. */
const libraryFolder = 'lib';
const program = 'terraform-provider-rolecall';

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await bundleProvider(path.join(folder, 'provider.cjs'));
const libraries = process.platform === 'linux' ? findSharedLibraries() : undefined;
if (libraries === undefined) await makeExecutable(executable);
else await makeLaunched(libraries);
writeRelease();
process.stdout.write(`${path.relative(process.cwd(), folder)}\n`);

/** A single executable application of Node, made from the Node that runs this script. */
async function makeExecutable(name: string): Promise<void> {
  const config = path.join(folder, 'sea.json');
  const main = path.join(folder, 'snapshot.cjs');
  const node = path.join(folder, 'node');
  await bundleProvider(main, 'snapshot');
  copyFileSync(process.execPath, node);
  const settings = {
    main,
    executable: node,
    output: path.join(folder, name),
    disableExperimentalSEAWarning: true,
    useSnapshot: true,
    execArgv: nodeFlags,
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const file of [config, main, node]) rmSync(file);
}

/** The executable beside its shared libraries, and the file that Terraform starts, which runs it with these and no others. */
async function makeLaunched({ files, loader, notice }: SharedLibraries): Promise<void> {
  mkdirSync(path.join(folder, libraryFolder));
  await makeExecutable(`${libraryFolder}/${program}`);
  for (const { name, content } of files)
    writeFileSync(path.join(folder, libraryFolder, name), content, { mode: 0o755 });
  writeFileSync(path.join(folder, 'NOTICE'), notice);
  writeFileSync(path.join(folder, executable), launcher(loader), { mode: 0o755 });
}

/**
 * Needs nothing of the machine but a shell. The C library comes along with its loader: where there is another one, as on Alpine,
 * the program would not start, and one that is older or newer than the other libraries may not fit them.
 */
function launcher(loader: string): string {
  return `#!/bin/sh
lib="\${0%/*}/${libraryFolder}"
exec "$lib/${loader}" --library-path "$lib" "$lib/${program}" "$@"
`;
}

function writeRelease(): void {
  const archive = `${release}_${platformName()}.zip`;
  const manifest = `${release}_manifest.json`;
  const built = (name: string, mode: number): ZipEntry => ({
    name,
    content: readFileSync(path.join(folder, name)),
    mode,
  });
  const beside = libraries === undefined ? [] : [program, ...libraries.files.map(({ name }) => name)];
  const entries = [
    built(executable, 0o755),
    ...beside.map((name) => built(`${libraryFolder}/${name}`, 0o755)),
    { name: 'LICENSE', content: readFileSync(path.join(root, 'LICENSE')), mode: 0o644 },
    ...(libraries === undefined ? [] : [built('NOTICE', 0o644)]),
    { name: licensesFile, content: thirdPartyLicenses(), mode: 0o644 },
  ];
  mkdirSync(registry);
  writeFileSync(path.join(registry, archive), zip(entries));
  writeFileSync(
    path.join(registry, manifest),
    `${JSON.stringify({ version: 1, metadata: { protocol_versions: ['6.0'] } }, null, 2)}\n`,
  );
  const sums = [archive, manifest].map((name) => `${sha256(path.join(registry, name))}  ${name}\n`);
  writeFileSync(path.join(registry, `${release}_SHA256SUMS`), sums.join(''));
}

/** The licences of the bundle, of Node, which is most of the executable, and of the libraries. */
function thirdPartyLicenses(): Buffer {
  const node = path.resolve(path.dirname(process.execPath), '../LICENSE');
  const texts = [readFileSync(path.join(folder, licensesFile), 'utf8'), `Node.js\n\n${readFileSync(node, 'utf8')}`];
  if (libraries !== undefined) texts.push(libraries.licenses);
  return Buffer.from(texts.join('\n---\n\n'));
}
