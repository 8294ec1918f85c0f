import { collectionWords, type Rails } from '@rolecall/crds';
import type { DesiredState } from '../model/desired.ts';
import type { Judged, Note, Step } from '../model/step.ts';
import { subjects } from '../operations/subjects.ts';
import { does, isTaking, subjectId, subjectOf } from '../operations/table.ts';
import type { AccessDataSource } from '../view/access.ts';
import { readFactsAround } from '../view/facts-around.ts';
import type { View } from '../view/view.ts';
import { compareReach, type Loss } from './access-loss.ts';
import { afterRun } from './after-run.ts';
import { type Compared, compareAll, compareRun } from './compared.ts';
import { checkGuard, guardsOf, lossOf } from './guarded.ts';
import { findTurnovers } from './membership-loss.ts';
import { membershipNotes, type OwnedSnippets, ownedSnippets, snippetWords } from './membership-notes.ts';
import { exceeds, tooMuch } from './removal-share.ts';
import { TakingSteps } from './taking-steps.ts';

/** The judgement of the rails on a run, and notes for a reviewer on what they looked at. */
export interface Checked {
  readonly judged: readonly Judged[];
  readonly notes: readonly Note[];
}

/**
 * Refuses a run that would take away more than the allowed share of what people reach, of the workspace or of one data source, of
 * the memberships, of the workspace or of one role, or of the objects of a collection: the usual cause is a broken checkout or a wrong
 * folder, not a wish to take half the company's access away. What is critical has a stricter share of its own, and so has the role
 * of the administrators. The numbers, and why: docs/decisions/0056.
 *
 * Reads who reaches what only for the people concerned; that of all only where these lose enough for a share to matter.
 *
 * @throws the client's errors
 */
export async function checkRemovalShare(
  { objects, rails }: DesiredState,
  steps: readonly Step[],
  view: View,
  { now, bare = false, isOneByOne = false }: { now: Date; bare?: boolean; isOneByOne?: boolean },
): Promise<Checked> {
  const ofObjects = await checkObjects(steps, rails, view);
  if (!steps.some(isTaking)) return { judged: ofObjects, notes: [] };
  const adminRole = await view.adminRole();
  const guards = guardsOf(objects, adminRole);
  const some = await readFactsAround(steps, view);
  const someAfter = afterRun(some, steps, now);
  const turnovers = findTurnovers(some, someAfter, now);
  const owned = await ownedSnippets(turnovers, steps, view, { ...rails, bare });
  const around = compareRun(some, someAfter, turnovers, owned, now);
  const touched = guards.filter((guard) => (lossOf(guard, around)?.loss.lost ?? 0) > 0);
  const notes = bare ? [] : membershipNotes(turnovers, owned, adminRole);
  const lost = Math.max(around.loss.all.lost, around.memberships.all.lost);
  if (touched.length === 0 && lost < rails.minimumRemoval) return { judged: ofObjects, notes };
  // Where the plan concerns everyone, these are all.
  const isAll = some.people.length === (await view.people()).all.length;
  const whole = isAll ? around : await compareAll(steps, view, owned, now);
  const taking = new TakingSteps(steps, whole.before, view, now);
  const ofRun = isOneByOne ? taking.all() : 'all';
  const ofAll = checkAll(whole, rails, ofRun);
  return {
    judged: [
      ...ofObjects,
      // One refusal that says it all is read sooner than one for each data source.
      ...(ofAll.length > 0 ? ofAll : checkAccess(whole, rails, now, taking)),
      ...checkMemberships(whole, rails, { ofRun, taking, owned, isAllRefused: ofAll.length > 0 }),
      ...touched.flatMap((guard) => checkGuard(guard, whole, taking)),
    ],
    notes,
  };
}

/** Not weighed by what is gained: where everyone is replaced, the definitions are those of another organisation. */
function checkAll({ loss: { all } }: Compared, rails: Rails, holds: Judged['holds']): Judged[] {
  const gross = { ...all, gained: 0 };
  if (!exceeds(gross, rails)) return [];
  return [{ refusal: tooMuch('access', 'pairs of a person and a data source they reach', gross, rails), holds }];
}

function checkAccess(compared: Compared, rails: Rails, now: Date, taking: TakingSteps): Judged[] {
  const { before, after } = compared;
  const permitted = compareReach({ ...before, roles: [] }, { ...after, roles: [] }, now).all;
  const ofPermissions = exceeds(permitted, rails)
    ? [
        {
          refusal: tooMuch('permissions', collectionWords.permissions, permitted, rails),
          holds: taking.fromPermissions(),
        },
      ]
    : [];
  const ofSources = refusedSources(compared, rails).map(([{ key, alias, name }, loss]) => {
    const refusal = tooMuch(`access/${alias ?? name}`, `people who reach ${alias ?? name}`, loss, rails);
    return { refusal, holds: taking.fromDataSource(key) };
  });
  return [...ofPermissions, ...ofSources];
}

/** The data sources that too many people lose. Of one that goes itself no one keeps anything, and that is one line in a review. */
function refusedSources({ loss: { dataSources }, after }: Compared, rails: Rails): [AccessDataSource, Loss][] {
  return after.dataSources.flatMap((source): [AccessDataSource, Loss][] => {
    const loss = dataSources.get(source.key);
    return loss !== undefined && exceeds(loss, rails) ? [[source, loss]] : [];
  });
}

/**
 * Refuses to end too many memberships, of the workspace or of one role that stays. What a refusal of access says already is not said
 * again: where the access of all is refused, only memberships count that take none along, and else roles that give no refused data source.
 */
function checkMemberships(
  compared: Compared,
  rails: Rails,
  {
    ofRun,
    taking,
    owned,
    isAllRefused,
  }: { ofRun: Judged['holds']; taking: TakingSteps; owned: OwnedSnippets; isAllRefused: boolean },
): Judged[] {
  const { memberships, after } = compared;
  const all = isAllRefused ? memberships.silent : memberships.all;
  if (exceeds(all, rails))
    return [{ refusal: tooMuch('memberships', 'memberships of people in roles', all, rails), holds: ofRun }];
  const said = isAllRefused ? after.dataSources : refusedSources(compared, rails).map(([source]) => source);
  const isSaid = new Set(said.map(({ key }) => key));
  return [...memberships.roles.values()].flatMap(({ role: { key, name, dataSources }, loss }) => {
    if (!exceeds(loss, rails) || dataSources.some((source) => isSaid.has(source.key))) return [];
    const snippets = owned.get(key);
    const owns = snippets === undefined ? '' : `, which owns ${snippetWords(snippets)}`;
    const refusal = tooMuch(`memberships/${name}`, `people in the role ${name}${owns}`, loss, rails);
    return [{ refusal, holds: taking.fromRole(key) }];
  });
}

/** Objects that may go though no one reaches anything by them, such as a data source with its password: these count by themselves. */
const counted = ['person', 'role', 'data_source', 'snippet'] as const;

async function checkObjects(steps: readonly Step[], rails: Rails, view: View): Promise<Judged[]> {
  const refusals: Judged[] = [];
  for (const subject of counted) {
    const { collection } = subjects[subject];
    const removed = steps.filter((step) => does(step, 'delete', subject) && step.effect === 'remove');
    if (removed.length < rails.minimumRemoval) continue;
    const gained = steps.filter((step) => does(step, 'create', subject)).length;
    const { all } = await view[collection]();
    const loss = {
      before: all.length,
      lost: removed.length,
      gained,
      names: removed.map(({ object }) => object.name).toSorted(),
    };
    if (!exceeds(loss, rails)) continue;
    const removedIds = new Set(removed.map(subjectId));
    // A person is locked before.
    const holds = steps.filter(
      (step) => step.effect === 'remove' && subjectOf(step) === subject && removedIds.has(subjectId(step)),
    );
    refusals.push({
      refusal: tooMuch(collection, collectionWords[collection], loss, rails),
      holds: holds.map(({ id }) => id),
    });
  }
  return refusals;
}
