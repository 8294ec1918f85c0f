import type { Client } from '@rolecall/api';
import type { DesiredObject, DesiredPerson, DesiredRole, Plan } from '@rolecall/reconcile';
import { InterruptedError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';
import { applyPaths } from '../apply/apply.ts';
import { showPlan } from '../plan/plan.ts';
import { reportAccess } from '../report/report.ts';
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

/** Changes that someone makes in the workspace but not in Git: usernames, role names and aliases. */
interface Drift {
  locked: string;
  removed: { person: string; role: string };
  added: { person: string; role: string };
  granted: { person: string; dataSource: string };
}

/** Chooses four changes that the definitions will not put up with, and that do not cancel each other out. */
function chooseDrift(objects: readonly DesiredObject[]): Drift {
  const people = objects.filter((object): object is DesiredPerson => object.kind === 'Person' && !object.locked);
  const roles = objects.filter((object): object is DesiredRole => object.kind === 'Role');
  const exact = roles.filter(({ people: members = [] }) => members.length > 0);
  const [from] = exact;
  const into = exact.at(-1);
  const person = from?.people?.[0];
  claim(
    from !== undefined && into !== undefined && person !== undefined,
    'the example has no role with a list of people',
  );
  const members = new Set([...(into.people ?? []), ...additionsTo(into.role, objects), person]);
  const outsider = people.find(({ username }) => !members.has(username));
  const dataSource = objects.find((object) => object.kind === 'DataSource');
  const [other] = people.filter(({ username }) => username !== outsider?.username && username !== person);
  claim(outsider !== undefined && dataSource !== undefined && other !== undefined, 'the example has too few people');
  return {
    locked: other.username,
    removed: { person, role: from.role },
    added: { person: outsider.username, role: into.role },
    granted: { person: outsider.username, dataSource: dataSource.alias },
  };
}

function additionsTo(role: string, objects: readonly DesiredObject[]): string[] {
  return objects.flatMap((object) =>
    object.kind === 'RoleMembership' && object.role === role && object.member.kind === 'Person'
      ? [object.member.username]
      : [],
  );
}

/** Makes the changes, by calls of the API that no definition knows of. */
async function makeDrift({ locked, removed, added, granted }: Drift, client: Client): Promise<void> {
  const people = new Map((await client.call('listPeople', {})).map(({ id, username }) => [username, id]));
  const roles = new Map((await client.call('listRoles', {})).map(({ id, name }) => [name, id]));
  const dataSources = new Map((await client.call('listDataSources', {})).map(({ id, alias }) => [alias ?? '', id]));
  const person = (username: string): string => idOf(people, username);
  const role = (name: string): string => idOf(roles, name);
  await client.call('lockPerson', { params: { person: person(locked) } });
  await client.call('removeRolePerson', { params: { role: role(removed.role), person: person(removed.person) } });
  await client.call('addRolePerson', { params: { role: role(added.role), person: person(added.person) } });
  await client.call('createPermission', {
    params: { person: person(granted.person), dataSource: idOf(dataSources, granted.dataSource) },
    body: { duration: 86_400 },
  });
}

function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  claim(id !== undefined, `${name} is not in the workspace`);
  return id;
}
