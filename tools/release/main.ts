/**
 * `npm run release`: builds a whole release into `dist/release`, for inspection, and publishes nothing. `--publish` publishes the
 * packages, from a clean checkout of the version's tag. `--built` reuses the output of `npm run build` and
 * `npm run build:provider`. `--packages` only packs the output of `npm run build` for npm.
 * `--image` also builds the container image of the commit, on Debian as root.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { platformName } from '../../provider/release.ts';
import { readManifest } from '../packages.ts';
import { packCharts } from './chart.ts';
import { writeChecksums } from './checksums.ts';
import { packCommandLine } from './command-line.ts';
import { buildBase, buildImage, exportImage, Images, systemPackagesOf, timeOf } from './image.ts';
import { releaseNotes } from './notes.ts';
import { packPackages } from './pack.ts';
import { packProvider } from './provider.ts';
import { failUnlessReady, publish } from './publish.ts';
import { writeRegistryDocs } from './registry-docs.ts';
import { writeImageSbom, writeSbom } from './sbom.ts';
import { keyVariable, sign } from './sign.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'dist/release');
const { version } = readManifest('.');

const { values } = parseArgs({
  options: {
    publish: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    packages: { type: 'boolean', default: false },
    image: { type: 'boolean', default: false },
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
  writeRegistryDocs(root, path.join(folder, 'terraform-provider-rolecall'));
  const providerSums = await packProvider(root, path.join(folder, 'terraform'));
  const isSigned = process.env[keyVariable] !== undefined;
  // The registry wants this signature, so it is among what the other one is for.
  if (isSigned) sign([providerSums], process.env);
  const charts = await packCharts(root, path.join(folder, 'helm'), version);
  const bill = path.join(folder, `rolecall-${version}.cdx.json`);
  writeSbom(root, bill);
  if (values.image) makeImage(bill);
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

/**
 * Builds the image as an archive that every container engine loads, with what is in it, its layers and its size.
 *
 * @param bill that of the packages
 */
function makeImage(bill: string): void {
  using images = new Images();
  const own = process.env['ROLECALL_RELEASE_BASE'];
  if (own === undefined) buildBase(images, root, timeOf(root));
  buildImage(images, root, 'image', own ?? 'localhost/base');
  const start = path.join(folder, 'image', `rolecall_${version}_${platformName()}`);
  const report = exportImage(images, 'image', `${start}.oci.tar`);
  writeFileSync(`${start}.json`, `${JSON.stringify(report, null, 2)}\n`);
  writeImageSbom(bill, `${start}.cdx.json`, systemPackagesOf(images, 'image'));
  say(`image ${report.digest}: ${report.layers.length} layers, ${(report.size / 1e6).toFixed()} MB`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
