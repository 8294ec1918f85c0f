import type { Plan } from '@rolecall/reconcile';
import { InterruptedError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { applyPaths } from '../apply/apply.ts';
import { showPlan } from '../plan/plan.ts';
import { reportAccess } from '../report/report.ts';
import { chooseDrift, makeDrift } from './drift.ts';
import { claim, type Stage } from './stage.ts';

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
  begin('Who reaches what, now', 'rolecall report access');
  await reportAccess(stage.context, [], { format: 'text' });
}

async function applyAndVerify(stage: Stage, title: string): Promise<void> {
  stage.begin(title, `rolecall apply ${stage.examples} --yes`);
  await apply(stage);
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
