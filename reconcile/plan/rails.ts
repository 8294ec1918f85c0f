import { collectionWords, type ExactCollection, type Rails } from '@rolecall/crds';
import { kindOf } from '../kinds/registry.ts';
import { isTaking } from '../model/access-operations.ts';
import { type DesiredDataSource, type DesiredRole, type DesiredState, label } from '../model/desired.ts';
import { dataSourceKey, roleKey } from '../model/keys.ts';
import { type Judged, listUpTo, type Refusal, type Step } from '../model/step.ts';
import type { AccessFacts, AccessRole } from '../view/access.ts';
import { readFactsAround } from '../view/facts-around.ts';
import { afterSteps } from '../view/outcome.ts';
import { readAccessFacts } from '../view/read-access.ts';
import type { View } from '../view/view.ts';
import { type AccessLoss, compareMembers, compareReach, type Loss } from './access-loss.ts';
import { TakingSteps } from './taking-steps.ts';

type Guarded = DesiredDataSource | DesiredRole;

/**
 * Refuses a run that would take away more than the allowed share of what people reach, of the workspace or of one data source, or
 * of the objects of a collection: the usual cause is a broken checkout or a wrong folder, not a wish to take half the company's
 * access away. What is critical has a stricter share of its own. The numbers, and why: docs/decisions/0056.
 *
 * Reads who reaches what only for the people concerned; that of all only where these lose enough for a share to matter.
 *
 * @throws the client's errors
 */
export async function checkRemovalShare(
  { objects, rails }: DesiredState,
  steps: readonly Step[],
  view: View,
  { now, sharesHoldRemovals = false }: { now: Date; sharesHoldRemovals?: boolean },
): Promise<Judged[]> {
  const ofObjects = await checkObjects(steps, rails, view);
  if (!steps.some(isTaking)) return ofObjects;
  const critical = objects.filter(isCritical);
  const around = compareRun(await readFactsAround(steps, view), steps, now);
  const touched = critical.filter((object) => (lossOf(object, around)?.loss.lost ?? 0) > 0);
  if (touched.length === 0 && around.loss.all.lost < rails.minimumRemoval) return ofObjects;
  const whole = compareRun(await readAccessFacts(view), steps, now);
  const taking = new TakingSteps(steps, whole.before, view, now);
  const ofAll = checkAll(whole, rails, sharesHoldRemovals ? taking.all() : 'all');
  return [
    ...ofObjects,
    // One refusal that says it all is read sooner than one for each data source.
    ...(ofAll.length > 0 ? ofAll : checkAccess(whole, rails, now, taking)),
    ...touched.flatMap((object) => checkCritical(object, whole, taking)),
  ];
}

/** Who reaches what before and after a run, and what it takes away. */
interface Compared {
  before: AccessFacts;
  after: AccessFacts;
  loss: AccessLoss;
  now: Date;
}

function compareRun(before: AccessFacts, steps: readonly Step[], now: Date): Compared {
  const after = afterSteps(before, steps);
  return { before, after, loss: compareReach(before, after, now), now };
}

/** Whether a share of a loss is refused, by the bounds of a workspace. */
export function exceeds(loss: Pick<Loss, 'before' | 'lost' | 'gained'>, bounds: Rails): boolean {
  const weight = weigh(loss);
  return weight >= bounds.minimumRemoval && weight * 100 > loss.before * bounds.maxRemovalPercent;
}

/** A team that rotates takes little away: who comes in the same run makes up for half of one who goes. */
const weigh = ({ lost, gained }: Pick<Loss, 'lost' | 'gained'>): number => lost - Math.min(lost, gained) / 2;

/** Not weighed by what is gained: where everyone is replaced, the definitions are those of another organisation. */
function checkAll({ loss: { all } }: Compared, rails: Rails, holds: Judged['holds']): Judged[] {
  const gross = { ...all, gained: 0 };
  if (!exceeds(gross, rails)) return [];
  return [{ refusal: tooMuch('access', 'pairs of a person and a data source they reach', gross, rails), holds }];
}

function checkAccess(
  { loss: { dataSources }, before, after }: Compared,
  rails: Rails,
  now: Date,
  taking: TakingSteps,
): Judged[] {
  const permitted = compareReach({ ...before, roles: [] }, { ...after, roles: [] }, now).all;
  const ofPermissions = exceeds(permitted, rails)
    ? [
        {
          refusal: tooMuch('permissions', collectionWords.permissions, permitted, rails),
          holds: taking.fromPermissions(),
        },
      ]
    : [];
  // Of a data source that goes itself no one keeps anything, and that is one line in a review.
  const ofSources = after.dataSources.flatMap(({ key, alias, name }) => {
    const loss = dataSources.get(key);
    if (loss === undefined || !exceeds(loss, rails)) return [];
    const refusal = tooMuch(`access/${alias ?? name}`, `people who reach ${alias ?? name}`, loss, rails);
    return [{ refusal, holds: taking.fromDataSource(key) }];
  });
  return [...ofPermissions, ...ofSources];
}

/** Objects that may go though no one reaches anything by them, such as a data source with its password: these count by themselves. */
const counted = {
  people: ['deletePerson', 'createPerson'],
  roles: ['deleteRole', 'createRole'],
  dataSources: ['deleteDataSource', 'createDataSource'],
  snippets: ['deleteSnippet', 'createSnippet'],
} as const satisfies Partial<Record<ExactCollection, readonly Step['operation'][]>>;

async function checkObjects(steps: readonly Step[], rails: Rails, view: View): Promise<Judged[]> {
  const refusals: Judged[] = [];
  for (const [collection, [deletion, creation]] of Object.entries(counted)) {
    const removed = steps.filter(({ operation, effect }) => operation === deletion && effect === 'remove');
    if (removed.length < rails.minimumRemoval) continue;
    const gained = steps.filter(({ operation, effect }) => operation === creation && effect === 'create').length;
    // Object.entries gives strings; these are the keys above.
    const { all } = await view[collection as keyof typeof counted]();
    const loss = {
      before: all.length,
      lost: removed.length,
      gained,
      names: removed.map(({ object }) => object.name).toSorted(),
    };
    const words = collectionWords[collection as keyof typeof counted];
    if (!exceeds(loss, rails)) continue;
    const own = new Set(removed.map(({ params }) => JSON.stringify(params)));
    // A person is locked before, by the same parameter.
    const holds = steps.filter(({ effect, params }) => effect === 'remove' && own.has(JSON.stringify(params)));
    refusals.push({ refusal: tooMuch(collection, words, loss, rails), holds: holds.map(({ id }) => id) });
  }
  return refusals;
}

function tooMuch(token: string, what: string, loss: Loss, { maxRemovalPercent }: Rails): Refusal {
  const { before, lost, gained, names } = loss;
  const percent = Math.round((lost / before) * 100);
  const others = gained === 0 ? '' : `, and add ${gained} others`;
  return {
    rail: 'removal-share',
    objects: [],
    message: `this would take away ${lost} of the ${before} ${what} (${percent} %, allowed are ${maxRemovalPercent} %)${others}: ${someOf(lost, names)}`,
    remedy: `check that all definitions were given; if the removal is meant, let it through once by spec.overrides of the Workspace: "removal-share:${token} until YYYY-MM-DD because …"`,
    override: `removal-share:${token}`,
  };
}

const someOf = (count: number, names: readonly string[]): string =>
  count > names.length ? `${names.join(', ')} and ${count - names.length} more` : listUpTo(10, names);

const isCritical = (object: DesiredState['objects'][number]): object is Guarded =>
  (object.kind === 'DataSource' || object.kind === 'Role') && object.critical === true;

/** What one run may take of what is critical: one of its people, but not the last, or a tenth of them. */
const criticalBounds: Rails = { maxRemovalPercent: 10, minimumRemoval: 2 };

function checkCritical(object: Guarded, compared: Compared, taking: TakingSteps): Judged[] {
  const found = lossOf(object, compared);
  if (found === undefined) return [];
  const { loss, key } = found;
  const isLast = loss.lost === loss.before && loss.gained === 0;
  if (!isLast && !exceeds(loss, criticalBounds)) return [];
  const reach = object.kind === 'Role' ? 'are in it' : 'reach it';
  const refusal: Refusal = {
    rail: 'critical',
    objects: [label(object)],
    message: `${label(object)} is critical, and ${loss.lost} of the ${loss.before} people who ${reach} would lose it: ${someOf(loss.lost, loss.names)}`,
    remedy: 'take it from one person at a time, and never from the last one',
    override: `critical:${label(object)}`,
  };
  return [{ refusal, holds: object.kind === 'Role' ? taking.fromRole(key) : taking.fromDataSource(key) }];
}

/** What a run takes away of the people who reach a data source, or who are in a role and can log in. */
function lossOf(object: Guarded, { before, after, loss, now }: Compared): { key: string; loss: Loss } | undefined {
  const isIt = ({ key, natural }: { key: string; natural: string | null }): boolean =>
    key === object.id || natural === kindOf(object.kind).key(object);
  if (object.kind === 'DataSource') {
    const found = before.dataSources.find(({ key, alias }) => isIt({ key, natural: alias && dataSourceKey(alias) }));
    const own = found && loss.dataSources.get(found.key);
    return found && own && { key: found.key, loss: own };
  }
  const isRole = ({ key, name }: AccessRole): boolean => isIt({ key, natural: roleKey(name) });
  const role = before.roles.find(isRole);
  if (role === undefined) return undefined;
  // A role that is renamed is made again under its new name.
  const left = after.roles.find(({ key }) => key === role.key) ?? after.roles.find(isRole);
  return { key: role.key, loss: compareMembers([before, role], [after, left], now) };
}
