/**
 * `npm run build:provider`: builds the Terraform provider for the registry in `dist/terraform`: an executable without
 * dependencies, for the platform that it is built on, with its archive, checksums and manifest.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFlags } from '../provider/flags.ts';
import { platformName, version } from '../provider/release.ts';
import { bundleProvider, licensesFile } from './bundle-provider.ts';
import { zip } from './zip.ts';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'dist/terraform');
const executable = `terraform-provider-rolecall_v${version}`;
const release = `terraform-provider-rolecall_${version}`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await bundleProvider(path.join(folder, 'provider.cjs'));
await makeExecutable();
writeRelease();
process.stdout.write(`${path.relative(process.cwd(), folder)}\n`);

/** A single executable application of Node, made from the Node that runs this script. */
async function makeExecutable(): Promise<void> {
  const config = path.join(folder, 'sea.json');
  const main = path.join(folder, 'snapshot.cjs');
  const node = path.join(folder, 'node');
  await bundleProvider(main, 'snapshot');
  copyFileSync(process.execPath, node);
  const settings = {
    main,
    executable: node,
    output: path.join(folder, executable),
    disableExperimentalSEAWarning: true,
    useSnapshot: true,
    execArgv: nodeFlags,
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const file of [config, main, node]) rmSync(file);
}

function writeRelease(): void {
  const archive = `${release}_${platformName()}.zip`;
  const manifest = `${release}_manifest.json`;
  const entries = [
    { name: executable, content: readFileSync(path.join(folder, executable)), mode: 0o755 },
    { name: 'LICENSE', content: readFileSync(path.join(root, 'LICENSE')), mode: 0o644 },
    { name: licensesFile, content: thirdPartyLicenses(), mode: 0o644 },
  ];
  writeFileSync(path.join(folder, archive), zip(entries));
  writeFileSync(
    path.join(folder, manifest),
    `${JSON.stringify({ version: 1, metadata: { protocol_versions: ['6.0'] } }, null, 2)}\n`,
  );
  const sums = [archive, manifest].map((name) => `${sha256(path.join(folder, name))}  ${name}\n`);
  writeFileSync(path.join(folder, `${release}_SHA256SUMS`), sums.join(''));
}

/** The licences of the bundle and of Node, which is most of the executable. */
function thirdPartyLicenses(): Buffer {
  const node = path.resolve(path.dirname(process.execPath), '../LICENSE');
  const texts = [readFileSync(path.join(folder, licensesFile), 'utf8'), `Node.js\n\n${readFileSync(node, 'utf8')}`];
  return Buffer.from(texts.join('\n---\n\n'));
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
