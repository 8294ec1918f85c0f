import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Report, round } from './report/report.ts';
import { timeFirstOutput, timeHandshake } from './terraform/handshake.ts';
import { measureObjects } from './terraform/measure.ts';
import { measureForms } from './terraform/measure-forms.ts';
import { measureOne } from './terraform/measure-one.ts';
import { installPeer, installRolecall } from './terraform/mirror.ts';

const root = join(import.meta.dirname, '..');
const built = join(root, 'dist/terraform');

/** ROLECALL_BENCH_OBJECTS=100,500 makes a short run of it, to see that it works. */
const [few = 1000, many = 5000] = (process.env['ROLECALL_BENCH_OBJECTS'] ?? '1000,5000').split(',').map(Number);
const starts = 11;
const plans = 5;

/**
 * The provider as terraform runs it, beside Terraform's own `terraform_data`, which costs no provider, and beside a provider
 * in Go that does nothing, on HashiCorp's framework.
 */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  try {
    execFileSync(process.execPath, ['--conditions=source', 'tools/provider/build-provider.ts'], {
      cwd: root,
      stdio: 'ignore',
    });
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string): Promise<Report> {
  const executable = await installRolecall(folder, 'executable', []);
  const script = await installRolecall(folder, 'script', ['--from', join(built, 'provider.cjs')]);
  const go = await installPeer(folder);
  if (go === undefined)
    process.stderr.write('Go 1.25 or newer is not there: no provider in Go is measured beside it.\n');
  // The script keeps its compiled code there; the plans below fill it.
  const cache = join(folder, 'cache');
  const cliConfigs = { script: script.cliConfig, executable: executable.cliConfig, go: go?.cliConfig };
  const one = await measureOne(folder, cliConfigs, cache, starts);
  const handshakes = await measureStarts(
    { script: script.program, executable: executable.program, go: go?.program },
    cache,
  );
  // The npm package installs the script; Terraform computes a long checksum of the executable at every command.
  const measured = { rolecall: script.cliConfig, go: go?.cliConfig };
  const small = await measureObjects(folder, measured, cache, few, plans);
  const large = await measureObjects(folder, measured, cache, many, 3);
  const forms = await measureForms(folder, few, plans);
  return {
    name: 'terraform',
    figures: known({
      scriptHandshakeMs: handshakes['script'],
      executableHandshakeMs: handshakes['executable'],
      goHandshakeMs: handshakes['go'],
      bareNodeMs: handshakes['bare'],
      oneMoreSeconds: round(one.script - one.builtIn),
      oneMoreExecutableSeconds: round(one.executable - one.builtIn),
      oneMoreGoSeconds: one.go && round(one.go - one.builtIn),
      fewPlanRatio: round(small.rolecall.plan / small.builtIn.plan),
      fewPlanGoRatio: small.go && round(small.go.plan / small.builtIn.plan),
      manyPlanRatio: round(large.rolecall.plan / large.builtIn.plan),
      manyPlanGoRatio: large.go && round(large.go.plan / large.builtIn.plan),
      planCallsRatio: round(Math.max(small.planCallsRatio, large.planCallsRatio), 4),
      fewPlanBareRatio: round(small.rolecall.plan / small.bare.plan),
      manyPlanBareRatio: round(large.rolecall.plan / large.bare.plan),
      applyRatio: round(small.rolecall.apply / small.builtIn.apply),
      applyGoRatio: small.go && round(small.go.apply / small.builtIn.apply),
      applyBareRatio: round(small.rolecall.apply / small.bare.apply),
      applyCallsRatio: round(small.applyCallsRatio, 4),
      manyApplyRatio: round(large.rolecall.apply / large.builtIn.apply),
      manyApplyGoRatio: large.go && round(large.go.apply / large.builtIn.apply),
      manyApplyCallsRatio: round(large.applyCallsRatio, 4),
      countRatio: round(forms.count / forms.blocks),
      forEachRatio: round(forms.forEach / forms.blocks),
      peakMiB: round(large.rolecall.peakMiB, 1),
      ownMiB: round(large.rolecall.ownMiB, 1),
      goPeakMiB: large.go && round(large.go.peakMiB, 1),
      fewPlanSeconds: round(small.rolecall.plan),
      manyPlanSeconds: round(large.rolecall.plan),
      applySeconds: round(small.rolecall.apply),
    }),
    notes,
    bounds,
  };
}

const notes = {
  scriptHandshakeMs: 'from the start of what the npm package installs to the handshake, median',
  executableHandshakeMs: 'from the start of the executable to the handshake, median',
  goHandshakeMs: 'a provider in Go that does nothing: likewise',
  bareNodeMs: 'node that only prints a line: the floor of both forms',
  oneMoreSeconds: 'script: plan of one resource − plan of one terraform_data, state in a file',
  oneMoreExecutableSeconds: 'executable: likewise; terraform takes the sum of all of it at every command',
  oneMoreGoSeconds: 'the provider in Go: likewise',
  fewPlanRatio: `no-op plan of ${few}, state over HTTP ÷ terraform_data with the same attributes and references`,
  fewPlanGoRatio: 'the provider in Go: likewise',
  manyPlanRatio: `no-op plan of ${many}, state over HTTP ÷ terraform_data with the same attributes and references`,
  manyPlanGoRatio: 'the provider in Go: likewise',
  fewPlanBareRatio: `no-op plan of ${few} ÷ as many terraform_data of one attribute that refer to nothing`,
  manyPlanBareRatio: `no-op plan of ${many}: likewise`,
  planCallsRatio: 'no-op plans: calls the service received ÷ one a collection and one a role',
  applyRatio: `apply of ${few}, state over HTTP ÷ the same terraform_data`,
  applyGoRatio: 'the provider in Go: likewise',
  applyBareRatio: `apply of ${few} ÷ as many terraform_data of one attribute that refer to nothing`,
  applyCallsRatio: `apply of ${few}: calls ÷ one an object, and the collections that the plan and the apply each read`,
  manyApplyRatio: `apply of ${many}, state over HTTP ÷ the same terraform_data`,
  manyApplyGoRatio: 'the provider in Go: likewise',
  manyApplyCallsRatio: `apply of ${many}: likewise`,
  countRatio: `Terraform alone, no-op plan of ${few} terraform_data: one block with count ÷ a block each`,
  forEachRatio: 'the same with for_each ÷ a block each',
  peakMiB: `most resident memory of the provider with ${many}, with the pages of its file`,
  ownMiB: 'of that what is its own, and in no file',
  goPeakMiB: 'the provider in Go: most resident memory',
};

const bounds: NonNullable<Report['bounds']> = {
  scriptHandshakeMs: ['at most', 100],
  executableHandshakeMs: ['at most', 300],
  oneMoreSeconds: ['at most', 0.3],
  fewPlanRatio: ['at most', 2.3],
  manyPlanRatio: ['at most', 2.3],
  planCallsRatio: ['exactly', 1],
  applyRatio: ['at most', 2],
  applyCallsRatio: ['exactly', 1],
  manyApplyCallsRatio: ['exactly', 1],
  peakMiB: ['under', 114.4],
};

/** Leaves out what was not measured. */
function known(figures: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(figures).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

interface Programs {
  readonly script: string;
  readonly executable: string;
  readonly go: string | undefined;
}

/** @returns medians in milliseconds, of Go nothing where it is not there */
async function measureStarts({ script, executable, go }: Programs, cache: string): Promise<Record<string, number>> {
  const measures = {
    bare: () => timeFirstOutput([process.execPath, '-e', 'console.log(1)']),
    script: () => timeHandshake([script], { XDG_CACHE_HOME: cache }),
    executable: () => timeHandshake([executable], {}),
    ...(go === undefined ? {} : { go: () => timeHandshake([go], {}) }),
  };
  const times: Record<string, number[]> = {};
  for (let turn = 0; turn < starts; turn += 1) {
    for (const [name, measureIt] of Object.entries(measures)) (times[name] ??= []).push(await measureIt());
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, round(median(values), 0)]));
}
