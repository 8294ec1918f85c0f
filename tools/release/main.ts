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
import { releaseNotes } from './notes.ts';
import { packPackages } from './pack.ts';
import { provider } from './provider.ts';
import { failUnlessReady, publish } from './publish.ts';
import { writeSbom } from './sbom.ts';

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
  if (values.publish) failUnlessReady(root, version);
  if (!values.built) {
    for (const script of ['build', 'build:provider']) {
      say(`npm run ${script}`);
      execFileSync('npm', ['run', '--silent', script], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    }
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = packPackages(root, path.join(folder, 'npm'));
  provider(root, path.join(folder, 'terraform'));
  const charts = await packCharts(root, path.join(folder, 'helm'), version);
  writeSbom(root, path.join(folder, `rolecall-${version}.cdx.json`));
  writeFileSync(path.join(folder, 'NOTES.md'), releaseNotes(root, version));
  for (const line of writeChecksums(folder)) say(line);
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
