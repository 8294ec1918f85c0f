import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../report/report.ts';
import { counted, type Environment, withService } from '../workspace/workspace.ts';
import { type Manager, managers, writeConfiguration } from './configurations.ts';
import { type Described, describeObjects } from './objects.ts';
import { startStateServer } from './state-server.ts';
import { runTerraform, type TerraformRun } from './terraform.ts';

/** The measurements for a number of objects. */
export interface Taken {
  apply: number;
  /** Median. */
  plan: number;
  peakMiB: number;
  ownMiB: number;
}

/** The measurements of each manager for the same objects, with the same attributes and references. */
export interface Measured {
  rolecall: Taken;
  /** Terraform's own: what Terraform takes by itself. */
  builtIn: Taken;
  /** As many of Terraform's own with one attribute each, which refer to nothing. */
  bare: Taken;
  /** A provider in Go that does nothing, where Go is there. */
  go: Taken | undefined;
  applyCallsRatio: number;
  planCallsRatio: number;
}

/** People, roles, data sources, permissions. */
const collections = 4;
/**
 * `terraform apply` starts one provider to plan, and another one to apply, which plans each object once more. Permissions
 * are looked for by the second one only: to the first the ids of their people and data sources are not known.
 */
const readByApply = 3 + collections;

interface Subject {
  readonly folder: string;
  readonly env: Environment;
  readonly runs: TerraformRun[];
}

/**
 * Applies and plans objects, and beside them the same of others, with all states in an HTTP backend. The plans take
 * turns, so that what else the machine does falls on all.
 *
 * @param cliConfigs the CLI configurations by which terraform finds the providers
 * @param cache the user's cache folder
 */
export async function measureObjects(
  folder: string,
  cliConfigs: { readonly rolecall: string; readonly go: string | undefined },
  cache: string,
  count: number,
  plans: number,
): Promise<Measured> {
  const states = await startStateServer();
  try {
    return await withService(join(folder, `data-${count}`), async (service, env) => {
      const make = (name: string, manager: Manager, cliConfig: string, described: readonly Described[]): Subject => {
        const own = join(folder, `${name}-${count}`);
        mkdirSync(own, { recursive: true });
        writeConfiguration(own, manager, described, states.address(`${name}-${count}`));
        return { folder: own, env: { ...env, TF_CLI_CONFIG_FILE: cliConfig, XDG_CACHE_HOME: cache }, runs: [] };
      };
      const objects = describeObjects(count);
      const roles = objects.filter(({ kind }) => kind === 'role').length;
      const single = objects.map((each): Described => ({ ...each, attributes: { input: `Object ${each.index}` } }));
      const ours = make('rolecall', managers.rolecall, cliConfigs.rolecall, objects);
      const own = make('built-in', managers.builtIn, cliConfigs.rolecall, objects);
      const bare = make('bare', managers.bare, cliConfigs.rolecall, single);
      const go = cliConfigs.go === undefined ? undefined : make('go', managers.go, cliConfigs.go, objects);
      const others = [own, bare, ...(go === undefined ? [] : [go])];
      for (const each of [...others, ours]) await runTerraform(each.folder, ['init'], each.env);
      for (const each of others) await run(each, ['apply', '-auto-approve']);
      const applied = await counted(service, () => run(ours, ['apply', '-auto-approve']));
      let planned = 0;
      for (let turn = 0; turn < plans; turn += 1) {
        for (const each of others) await run(each, ['plan', '-detailed-exitcode']);
        const { calls } = await counted(service, () => run(ours, ['plan', '-detailed-exitcode']));
        planned = Math.max(planned, calls);
      }
      return {
        rolecall: taken(ours),
        builtIn: taken(own),
        bare: taken(bare),
        go: go && taken(go),
        applyCallsRatio: applied.calls / (objects.length + readByApply),
        planCallsRatio: planned / (collections + roles),
      };
    });
  } finally {
    states.close();
  }
}

async function run({ folder, env, runs }: Subject, args: readonly string[]): Promise<void> {
  runs.push(await runTerraform(folder, args, env));
}

/** One apply, then plans. */
function taken({ runs: [apply, ...planned] }: Subject): Taken {
  const all = apply === undefined ? planned : [apply, ...planned];
  return {
    apply: apply?.seconds ?? Number.NaN,
    plan: median(planned.map(({ seconds }) => seconds)),
    peakMiB: Math.max(...all.map(({ peakMiB }) => peakMiB)),
    ownMiB: Math.max(...all.map(({ ownMiB }) => ownMiB)),
  };
}
