/**
 * `npm run build:provider`: makes the Terraform provider as the registry wants it, in `dist/terraform`: an executable that
 * needs nothing installed, for the machine that it is built on; the archive, its checksums and the manifest.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import { platformName, version } from '../provider/release.ts';
import { undiciPool } from './undici-pool.ts';
import { zip } from './zip.ts';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'dist/terraform');
const executable = `terraform-provider-rolecall_v${version}`;
const release = `terraform-provider-rolecall_${version}`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await bundle(path.join(folder, 'provider.cjs'));
makeExecutable();
writeRelease();
process.stdout.write(`${path.relative(process.cwd(), folder)}\n`);

/** One file of all modules: Node starts several times faster from it. */
async function bundle(file: string): Promise<void> {
  await build({
    cwd: root,
    input: 'provider/main.ts',
    platform: 'node',
    logLevel: 'warn',
    resolve: { conditionNames: ['source', 'import', 'node', 'default'] },
    plugins: [undiciPool],
    output: { format: 'cjs', file, minify: true, codeSplitting: false },
  });
  writeFileSync(file, toAscii(readFileSync(file, 'utf8')));
}

/**
 * Writes what is not ASCII as an escape: Node takes twice the memory, and longer, for a file that has any of it. The
 * bundle has such letters in texts and patterns only, where an escape means the same.
 */
function toAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/gu, (letter) => {
    const hex = (letter.codePointAt(0) ?? 0).toString(16);
    // Names of properties take the pair of a letter beyond the first 65,536 in this form only.
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}

/** Node's single executable application, from the Node that runs this. */
function makeExecutable(): void {
  const config = path.join(folder, 'sea.json');
  const settings = {
    main: path.join(folder, 'provider.cjs'),
    output: path.join(folder, executable),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  rmSync(config);
}

function writeRelease(): void {
  const archive = `${release}_${platformName()}.zip`;
  const manifest = `${release}_manifest.json`;
  const content = readFileSync(path.join(folder, executable));
  writeFileSync(path.join(folder, archive), zip([{ name: executable, content, mode: 0o755 }]));
  writeFileSync(
    path.join(folder, manifest),
    `${JSON.stringify({ version: 1, metadata: { protocol_versions: ['6.0'] } }, null, 2)}\n`,
  );
  const sums = [archive, manifest].map((name) => `${sha256(path.join(folder, name))}  ${name}\n`);
  writeFileSync(path.join(folder, `${release}_SHA256SUMS`), sums.join(''));
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
