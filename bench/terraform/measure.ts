import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerChild } from '../children/child.ts';
import { median } from '../report.ts';
import { type Environment, total, withService } from '../workspace.ts';
import { writeBuiltIn, writeObjects } from './configurations.ts';
import { startStateServer } from './state-server.ts';
import { runTerraform, type TerraformRun } from './terraform.ts';

/** What a number of objects took, and as many of Terraform's own. */
export interface Measured {
  apply: TerraformRun;
  builtInApply: number;
  /** Medians. */
  plan: number;
  builtInPlan: number;
  peakMiB: number;
  ownMiB: number;
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

/**
 * Applies and plans objects, and beside them as many of Terraform's own, with both states in an HTTP backend. The plans
 * take turns, so that what else the machine does falls on both.
 *
 * @param cliConfig the CLI configuration by which terraform finds the provider
 * @param cache the user's cache folder
 */
export async function measureObjects(
  folder: string,
  cliConfig: string,
  cache: string,
  count: number,
  plans: number,
): Promise<Measured> {
  const states = await startStateServer();
  try {
    return await withService(join(folder, `data-${count}`), async (service, env) => {
      const ours = join(folder, `rolecall-${count}`);
      const builtIn = join(folder, `built-in-${count}`);
      for (const each of [ours, builtIn]) mkdirSync(each, { recursive: true });
      const { count: objects, roles } = writeObjects(ours, count, states.address(`rolecall-${count}`));
      writeBuiltIn(builtIn, objects, states.address(`built-in-${count}`));
      const settings = { ...env, TF_CLI_CONFIG_FILE: cliConfig, XDG_CACHE_HOME: cache };
      for (const each of [ours, builtIn]) await runTerraform(each, ['init'], settings);
      const builtInApply = (await runTerraform(builtIn, ['apply', '-auto-approve'], settings)).seconds;
      const applied = await counting(service, () => runTerraform(ours, ['apply', '-auto-approve'], settings));
      const planned: TerraformRun[] = [];
      const builtInPlanned: number[] = [];
      let calls = 0;
      for (let turn = 0; turn < plans; turn += 1) {
        builtInPlanned.push((await runTerraform(builtIn, ['plan', '-detailed-exitcode'], settings)).seconds);
        const one = await counting(service, () => runTerraform(ours, ['plan', '-detailed-exitcode'], settings));
        planned.push(one.run);
        calls = Math.max(calls, one.calls);
      }
      const runs = [applied.run, ...planned];
      return {
        apply: applied.run,
        builtInApply,
        plan: median(planned.map(({ seconds }) => seconds)),
        builtInPlan: median(builtInPlanned),
        peakMiB: Math.max(...runs.map(({ peakMiB }) => peakMiB)),
        ownMiB: Math.max(...runs.map(({ ownMiB }) => ownMiB)),
        applyCallsRatio: applied.calls / (objects + readByApply),
        planCallsRatio: calls / (collections + roles),
      };
    });
  } finally {
    states.close();
  }
}

async function counting(service: ServerChild, work: () => Promise<TerraformRun>) {
  const before = total((await service.status()).requests);
  const run = await work();
  return { run, calls: total((await service.status()).requests) - before };
}

/**
 * A plan of one object that is there already, with a local state, and one of Terraform's own: medians in seconds.
 *
 * @param cliConfigs the CLI configuration of each form of the provider
 * @param cache the user's cache folder
 */
export async function measureOne<Form extends string>(
  folder: string,
  cliConfigs: Record<Form, string>,
  cache: string,
  plans: number,
): Promise<Record<Form | 'builtIn', number>> {
  return withService(join(folder, 'data-one'), async (_service, env: Environment) => {
    const ours = Object.entries<string>(cliConfigs).map(([name, cliConfig]) => ({
      name,
      hcl: `${requirement}resource "rolecall_role" "one" {\n  name = "one-${name}"\n}\n`,
      env: { ...env, TF_CLI_CONFIG_FILE: cliConfig, XDG_CACHE_HOME: cache },
    }));
    const cases = [...ours, { name: 'builtIn', hcl: 'resource "terraform_data" "one" {}\n', env }].map((each) => ({
      ...each,
      folder: join(folder, `one-${each.name}`),
      times: [] as number[],
    }));
    for (const each of cases) {
      mkdirSync(each.folder);
      writeFileSync(join(each.folder, 'main.tf'), each.hcl);
      await runTerraform(each.folder, ['init'], each.env);
      await runTerraform(each.folder, ['apply', '-auto-approve'], each.env);
    }
    for (let turn = 0; turn < plans; turn += 1) {
      for (const each of cases) each.times.push((await runTerraform(each.folder, ['plan'], each.env)).seconds);
    }
    // One entry for each name of the forms, and of the built-in one.
    return Object.fromEntries(cases.map(({ name, times }) => [name, median(times)])) as Record<
      Form | 'builtIn',
      number
    >;
  });
}

const requirement = 'terraform {\n  required_providers {\n    rolecall = { source = "rolecall/rolecall" }\n  }\n}\n';
