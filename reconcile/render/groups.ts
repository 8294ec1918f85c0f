import type { Effect, Step } from '../step.ts';
import type { Palette } from './palette.ts';

/** What is done to an object or by a step, as Terraform's users read it. */
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
  return [...groups].map(([object, own]) => ({ object, mark: markOfGroup(own), steps: own }));
}

/** An undeclared object may have the name of a declared one; its deletion must not hide among the other's changes. */
function groupName({ object: { kind, name, undeclared } }: Step): string {
  return `${kind}/${name}${undeclared === true ? ' (undeclared)' : ''}`;
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
