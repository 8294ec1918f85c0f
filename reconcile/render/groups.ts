import { listUpTo, type Step } from '../model/step.ts';
import type { Effect } from '../model/step-names.ts';
import type { Palette } from './palette.ts';

/** The mark of an object or a step, as Terraform's users read it. */
export type Mark = '+' | '~' | '-' | '-/+';

/** The steps that serve one object, in the plan's order. */
export interface Group {
  /** `Person/ada`. */
  object: string;
  mark: Mark;
  steps: readonly Step[];
}

const marks: Readonly<Record<Effect, Mark>> = {
  create: '+',
  change: '~',
  grant: '+',
  revoke: '-',
  replace: '-/+',
  remove: '-',
};

export const markOf = ({ effect }: Pick<Step, 'effect'>): Mark => marks[effect];

/** Groups steps by the object they serve, in the order in which the plan first touches each. */
export function groupByObject(steps: readonly Step[]): Group[] {
  const groups = Map.groupBy(steps, groupName);
  return [...groups].map(([object, groupSteps]) => ({ object, mark: markOfGroup(groupSteps), steps: groupSteps }));
}

/** Groups that are alike and told in one line: how many, and the names of the first. */
export interface Fold {
  mark: Mark;
  /** `Person`, of all of them. */
  kind: string;
  names: readonly string[];
  /** The number of these that follow others which are shown one by one. */
  rest: boolean;
}

/** So many that are alike are shown one by one: of what only gives, and of what changes or takes something away. */
const mostAlike = { gives: 20, takes: 200 } as const;

/**
 * Folds groups that do the same to objects of one kind, at the place of the first that is folded. Of those that change or
 * take something away, the first many stay as they are.
 */
export function foldAlike(groups: readonly Group[]): (Group | Fold)[] {
  const alike = Map.groupBy(groups, likeness);
  const folds = new Map<Group, Fold | undefined>();
  for (const same of alike.values()) {
    const gives = same.every(({ steps }) => steps.every(({ effect }) => effect === 'create' || effect === 'grant'));
    if (same.length <= (gives ? mostAlike.gives : mostAlike.takes)) continue;
    const folded = gives ? same : same.slice(mostAlike.takes);
    const names = folded.map(({ object }) => object.slice(object.indexOf('/') + 1));
    for (const [index, group] of folded.entries()) {
      const { object, mark } = group;
      const fold = { mark, kind: object.slice(0, object.indexOf('/')), names, rest: !gives };
      folds.set(group, index === 0 ? fold : undefined);
    }
  }
  return groups.flatMap<Group | Fold>((group) => {
    const fold = folds.get(group);
    if (fold !== undefined) return [fold];
    return folds.has(group) ? [] : [group];
  });
}

/** The same for groups that differ in names alone. */
function likeness({ object, mark, steps }: Group): string {
  const calls = steps.map(({ operation, effect, changes = [] }) => [
    operation,
    effect,
    ...changes.map(({ field }) => field),
  ]);
  return JSON.stringify([object.slice(0, object.indexOf('/')), object.endsWith(' (undeclared)'), mark, calls]);
}

/** `312 people: ada, ben, cyd and 309 more`. */
export function foldWords({ kind, names, rest }: Fold, most: number, show: (name: string) => string): string {
  const plural = plurals[kind] ?? kind;
  const list = listUpTo(most, names.map(show));
  return rest ? `${names.length} more ${plural}, in the same way: ${list}` : `${names.length} ${plural}: ${list}`;
}

const plurals: Readonly<Record<string, string>> = {
  DataSource: 'data sources',
  Permission: 'permissions',
  Person: 'people',
  Role: 'roles',
  RoleMembership: 'memberships',
  Snippet: 'snippets',
};

/** An object that was never declared may have the name of a declared one; its deletion must not hide among the other's changes. */
function groupName({ object: { kind, name, undeclared, deleted } }: Step): string {
  return `${kind}/${name}${undeclared === true && deleted !== true ? ' (undeclared)' : ''}`;
}

/** The mark of the whole: a role that is made and filled is made, a role that gains one person and loses another changes. */
function markOfGroup(steps: readonly Step[]): Mark {
  const effects = new Set(steps.map(({ effect }) => effect));
  if (effects.has('replace')) return '-/+';
  if (effects.has('create')) return '+';
  if (effects.has('remove')) return '-';
  // A role that only gains or loses members is itself neither made nor removed.
  if (steps.some(({ object, operation }) => object.kind === 'Role' && operation !== 'deleteRole')) return '~';
  const [only, ...others] = new Set(steps.map(markOf));
  return others.length === 0 && only !== undefined ? only : '~';
}

/** Paints the mark, padded so that what follows stands in one column. */
export function paintMark(mark: Mark, palette: Palette): string {
  return paintOf(mark, palette)(mark.padStart(3));
}

function paintOf(mark: Mark, palette: Palette): (text: string) => string {
  switch (mark) {
    case '+':
      return palette.create;
    case '~':
      return palette.change;
    case '-':
      return palette.remove;
    case '-/+':
      return palette.replace;
  }
}
