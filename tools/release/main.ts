/**
 * `npm run release`: builds a whole release into `dist/release`, for inspection, and publishes nothing. `--publish` publishes the
 * packages, from a clean checkout of the version's tag. `--built` reuses the output of `npm run build` and
 * `npm run build:provider`. `--packages` only packs the output of `npm run build` for npm.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readManifest } from '../packages.ts';
import { packCharts } from './chart.ts';
import { writeChecksums } from './checksums.ts';
import { packCommandLine } from './command-line.ts';
import { releaseNotes } from './notes.ts';
import { packPackages } from './pack.ts';
import { packProvider } from './provider.ts';
import { failUnlessReady, publish } from './publish.ts';
import { writeSbom } from './sbom.ts';
import { keyVariable, sign } from './sign.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'dist/release');
const { version } = readManifest('.');

const { values } = parseArgs({
  options: {
    publish: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    packages: { type: 'boolean', default: false },
  },
});

if (values.packages) packPackages(root, path.join(folder, 'npm'));
else await makeRelease();

async function makeRelease(): Promise<void> {
  if (values.publish) failUnlessReady(root, version, process.env);
  if (!values.built) {
    for (const script of ['build', 'build:provider']) {
      say(`npm run ${script}`);
      execFileSync('npm', ['run', '--silent', script], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    }
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = packPackages(root, path.join(folder, 'npm'));
  const commandLine = packages.at(-1) ?? '';
  await packCommandLine(root, commandLine, path.join(folder, 'command-line'), version);
  const providerSums = await packProvider(root, path.join(folder, 'terraform'));
  const isSigned = process.env[keyVariable] !== undefined;
  // The registry wants this signature, so it is among what the other one is for.
  if (isSigned) sign([providerSums], process.env);
  const charts = await packCharts(root, path.join(folder, 'helm'), version);
  writeSbom(root, path.join(folder, `rolecall-${version}.cdx.json`));
  writeFileSync(path.join(folder, 'NOTES.md'), releaseNotes(root, version));
  for (const line of writeChecksums(folder)) say(line);
  if (isSigned) sign([path.join(folder, 'SHA256SUMS')], process.env);
  else say(`not signed: ${keyVariable} has no key`);
  if (charts.length === 0) say('no chart: operator/deploy has none');
  if (values.publish) publish(packages);
  else
    say(
      `\n${path.relative(process.cwd(), folder)}: a dry run, nothing was published. To publish: npm run release -- --publish`,
    );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
