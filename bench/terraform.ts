import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { median, type Report, round } from './report.ts';
import { timeFirstOutput, timeHandshake } from './terraform/handshake.ts';
import { measureObjects, measureOne } from './terraform/measure.ts';

const root = join(import.meta.dirname, '..');
const built = join(root, 'dist/terraform');

/** ROLECALL_BENCH_OBJECTS=100,500 makes a short run of it, to see that it works. */
const [few = 1000, many = 5000] = (process.env['ROLECALL_BENCH_OBJECTS'] ?? '1000,5000').split(',').map(Number);
const starts = 11;
const plans = 5;

/** The two ways in which the provider is installed. */
type Form = 'executable' | 'script';

/** The provider as terraform runs it, beside Terraform's own `terraform_data`, which costs no provider. */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  try {
    execFileSync(process.execPath, ['--conditions=source', 'tools/build-provider.ts'], { cwd: root, stdio: 'ignore' });
    return await measure(folder, {
      executable: await install(folder, 'executable', []),
      script: await install(folder, 'script', ['--from', join(built, 'provider.cjs')]),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A provider as `rolecall terraform install` puts it where terraform looks. */
interface Mirror {
  cliConfig: string;
  program: string;
}

async function install(folder: string, name: string, args: readonly string[]): Promise<Mirror> {
  const mirror = join(folder, `mirror-${name}`);
  await runCommand(['terraform', 'install', '--dir', mirror, ...args], {});
  const cliConfig = join(folder, `${name}.tfrc`);
  const mirrored = `filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }`;
  writeFileSync(cliConfig, `provider_installation {\n  ${mirrored}\n}\n`);
  return { cliConfig, program: globSync(join(mirror, '**/terraform-provider-rolecall_v*'))[0] ?? '' };
}

async function measure(folder: string, { executable, script }: Record<Form, Mirror>): Promise<Report> {
  // The script keeps what it has compiled there; the plans below are what fills it.
  const cache = join(folder, 'cache');
  const one = await measureOne(folder, { executable: executable.cliConfig, script: script.cliConfig }, cache, plans);
  const handshakes = await measureStarts(executable.program, script.program, cache);
  // The script is what the npm package installs; of the executable Terraform takes a long sum at every command.
  const small = await measureObjects(folder, script.cliConfig, cache, few, plans);
  const large = await measureObjects(folder, script.cliConfig, cache, many, 3);
  return {
    name: 'terraform',
    figures: {
      scriptHandshakeMs: round(handshakes.script, 0),
      executableHandshakeMs: round(handshakes.executable, 0),
      bareNodeMs: round(handshakes.bare, 0),
      oneMoreSeconds: round(one.script - one.builtIn),
      oneMoreExecutableSeconds: round(one.executable - one.builtIn),
      fewPlanRatio: round(small.plan / small.builtInPlan),
      manyPlanRatio: round(large.plan / large.builtInPlan),
      planCallsRatio: round(Math.max(small.planCallsRatio, large.planCallsRatio), 4),
      applyRatio: round(small.apply.seconds / small.builtInApply),
      applyCallsRatio: round(small.applyCallsRatio, 4),
      manyApplyRatio: round(large.apply.seconds / large.builtInApply),
      manyApplyCallsRatio: round(large.applyCallsRatio, 4),
      peakMiB: round(large.peakMiB, 1),
      ownMiB: round(large.ownMiB, 1),
      fewPlanSeconds: round(small.plan),
      manyPlanSeconds: round(large.plan),
      applySeconds: round(small.apply.seconds),
    },
    notes: {
      scriptHandshakeMs: 'from the start of what the npm package installs to the handshake, median (at most 100)',
      executableHandshakeMs: 'from the start of the executable to the handshake, median (at most 300)',
      bareNodeMs: 'node that only prints a line: the floor of both',
      oneMoreSeconds: 'script: plan of one resource − plan of one terraform_data, state in a file (at most 0.30)',
      oneMoreExecutableSeconds: 'executable: likewise; terraform takes the sum of all of it at every command',
      fewPlanRatio: `no-op plan of ${few}, state over HTTP ÷ as many terraform_data (at most 2.3)`,
      manyPlanRatio: `no-op plan of ${many}, state over HTTP ÷ as many terraform_data (at most 2.3)`,
      planCallsRatio: 'no-op plans: calls the service received ÷ one a collection and one a role (exactly 1)',
      applyRatio: `apply of ${few}, state over HTTP ÷ as many terraform_data (at most 2)`,
      applyCallsRatio: `apply of ${few}: calls ÷ one an object, and the collections that the plan and the apply each read (exactly 1)`,
      manyApplyRatio: `apply of ${many}, state over HTTP ÷ as many terraform_data`,
      manyApplyCallsRatio: `apply of ${many}: likewise (exactly 1)`,
      peakMiB: `most resident memory of the provider with ${many}, with the pages of its file (under 120 MB = 114.4 MiB)`,
      ownMiB: 'of that what is its own, and in no file',
    },
  };
}

async function measureStarts(
  executable: string,
  script: string,
  cache: string,
): Promise<Record<Form | 'bare', number>> {
  const times = { script: [] as number[], executable: [] as number[], bare: [] as number[] };
  for (let turn = 0; turn < starts; turn += 1) {
    times.bare.push(await timeFirstOutput([process.execPath, '-e', 'console.log(1)']));
    times.script.push(await timeHandshake([script], { XDG_CACHE_HOME: cache }));
    times.executable.push(await timeHandshake([executable], {}));
  }
  return { script: median(times.script), executable: median(times.executable), bare: median(times.bare) };
}
