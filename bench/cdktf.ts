import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../tools/cdktf/bundle.ts';
import { editions } from '../tools/cdktf/editions.ts';
import { median, type Report, round } from './report/report.ts';
import { type Run, runChild } from './workspace/command.ts';
import { type Sizes, writeDefinitions } from './workspace/definitions.ts';
import { total } from './workspace/workspace.ts';

const sizes: Sizes = { people: 2000, roles: 200, memberships: 2000, permissions: 600, snippets: 200, dataSources: 3 };
const rounds = 5;
const cache = join(import.meta.dirname, '../node_modules/.cache');

/** `Definitions` of 5,000 objects, against the YAML library on the same files and the same resources from the bindings alone. */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  // Where the library is found from.
  mkdirSync(cache, { recursive: true });
  const file = join(cache, `bench-cdktf-${process.pid}.cjs`);
  try {
    const [edition] = editions;
    if (edition !== undefined) writeFileSync(file, (await bundle(edition)).code);
    return await measure(file, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(file, { force: true });
  }
}

async function measure(file: string, folder: string): Promise<Report> {
  const definitions = join(folder, 'definitions');
  writeDefinitions(definitions, sizes);
  const out = join(folder, 'out');
  const synthesised = join(out, 'stacks/access/cdk.tf.json');
  const built: Run[] = [];
  const bare: Run[] = [];
  const parsed: Run[] = [];
  // In turns, so that other work on the machine affects all of them alike.
  for (let turn = 0; turn < rounds; turn += 1) {
    built.push(await runChild('synthesise.ts', [file, out, 'definitions', definitions]));
    parsed.push(await runChild('parse-yaml.ts', [definitions]));
    bare.push(await runChild('synthesise.ts', [file, join(folder, 'bare'), 'resources', synthesised]));
  }
  const of = (runs: readonly Run[], value: (run: Run) => number): number => median(runs.map(value));
  const cpu = (runs: readonly Run[]): number => of(runs, ({ cpuSeconds }) => cpuSeconds);
  return {
    name: 'cdktf',
    figures: {
      objects: total(sizes),
      synthesisSeconds: round(of(built, ({ seconds }) => seconds)),
      synthesisCpuSeconds: round(cpu(built)),
      parseCpuSeconds: round(cpu(parsed)),
      bareCpuSeconds: round(cpu(bare)),
      synthesisRatio: round(cpu(built) / (cpu(parsed) + cpu(bare))),
      peakMiB: round(of(built, ({ peakMiB }) => peakMiB)),
    },
    notes: {
      objects: 'definitions in YAML, of all kinds',
      synthesisSeconds: 'a process that reads them with Definitions and synthesises the stack',
      synthesisCpuSeconds: 'what it computed in that time',
      parseCpuSeconds: 'a process that only parses the files, with the YAML library',
      bareCpuSeconds: 'a process that builds the same resources with the bindings alone, and synthesises the stack',
      synthesisRatio: 'of the first to the two others together: what checking and referring costs',
      peakMiB: 'memory of the first',
    },
    bounds: {
      synthesisSeconds: ['at most', 15],
      synthesisRatio: ['at most', 1.5],
    },
  };
}
