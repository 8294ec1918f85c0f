import type { Plan } from '@rolecall/reconcile';
import { InterruptedError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { formatTable } from '../../output/table.ts';
import { applyPaths } from '../apply/apply.ts';
import { showPlan } from '../plan/plan.ts';
import type { Access, Way } from './access.ts';
import { readAccess } from './access.ts';
import { chooseDrift, makeDrift } from './drift.ts';
import { claim, type Stage } from './stage.ts';
import { findDifferences } from './state-check.ts';

/** Plan, apply, drift, repair and who reaches what. Each step is checked before the next one begins. */
export async function playStory(stage: Stage): Promise<void> {
  const { begin, examples } = stage;
  begin('Plan: what would change', `rolecall plan ${examples}`);
  const first = await plan(stage);
  claim(first.steps.length > 0, 'the first plan of an empty workspace is empty');
  await applyAndVerify(stage, 'Apply: make it so');
  await meddle(stage);
  begin('Plan again: the drift shows', `rolecall plan ${examples}`);
  const drift = await plan(stage);
  const operations = drift.steps.map(({ operation }) => operation).sort();
  claim(
    operations.join() === 'addRolePerson,deletePermission,removeRolePerson,unlockPerson',
    `the plan does not undo exactly what was done, but would ${operations.join(', ')}`,
  );
  await applyAndVerify(stage, 'Apply again: the drift is repaired');
  await reportAccess(stage);
}

async function applyAndVerify(stage: Stage, title: string): Promise<void> {
  stage.begin(title, `rolecall apply ${stage.examples} --yes`);
  await apply(stage);
  const differences = await findDifferences(stage.objects, stage.client);
  claim(differences.length === 0, `after the apply, ${differences.join('; ')}`);
  stage.begin('Plan once more: nothing to do', `rolecall plan ${stage.examples}`);
  const { steps } = await plan(stage);
  claim(steps.length === 0, 'the plan after an apply is not empty');
}

function plan({ context, examples }: Stage): Promise<Plan> {
  return showPlan(context, [examples], {});
}

async function apply({ context, examples }: Stage): Promise<void> {
  const code = await applyPaths(context, [examples], { format: 'text', yes: true, verbose: true, planShown: true });
  if (code === exitCodes.interrupted) throw new InterruptedError();
  claim(code === exitCodes.ok, 'the apply failed');
}

async function meddle(stage: Stage): Promise<void> {
  const drift = chooseDrift(stage.objects);
  stage.begin('Meanwhile, behind the back of Rolecall');
  await makeDrift(drift, stage.client);
  const differences = await findDifferences(stage.objects, stage.client);
  claim(differences.length >= 3, 'what was done behind its back does not show in the workspace');
  const { locked, removed, added, granted } = drift;
  stage.context.output.say(
    [
      `Someone locks ${locked},`,
      `takes ${removed.person} out of ${removed.role},`,
      `puts ${added.person} into ${added.role},`,
      `and grants ${granted.person} the data source ${granted.dataSource} for a day.`,
    ].join('\n'),
  );
}

async function reportAccess({ begin, client, context }: Stage): Promise<void> {
  begin('Who reaches what, now');
  const access = await readAccess(client, new Date());
  for (const { person, dataSource, ways } of access) {
    claim(ways.length > 0, `${person} reaches ${dataSource}, and nothing says why`);
  }
  claim(access.length > 0, 'no person reaches a data source');
  context.output.say(describeAccess(access));
}

/** A table of who reaches what; the person stands in the first of their rows only. */
function describeAccess(access: readonly Access[]): string {
  const rows = access.map(({ person, isLocked, dataSource, ways }, index) => {
    const isFirst = access[index - 1]?.person !== person;
    const name = isLocked ? `${person} (locked out)` : person;
    return [isFirst ? name : '', dataSource, ways.map(describeThrough).join(', '), describeEnd(ways)];
  });
  return formatTable(['person', 'reaches', 'through', 'until'], rows);
}

function describeThrough(way: Way): string {
  return 'role' in way ? `role ${way.role}` : 'permission';
}

/** What a role gives lasts, whatever else ends. */
function describeEnd(ways: readonly Way[]): string {
  const ends = ways.map((way) => ('until' in way ? way.until : undefined));
  if (ends.includes(undefined)) return '(as long as in the role)';
  return (
    ends
      .sort()
      .at(-1)
      ?.replace(/:\d\d\.\d{3}Z$/, 'Z') ?? ''
  );
}
