import type { OperationId } from '@rolecall/api';
import type { z } from 'zod';
import type { note, refusal } from './plan-schema.ts';
import type { StepOperation } from './step-names.ts';
import type { fieldChange, Reference, SecretUri, Step, StepOf } from './step-schema.ts';

export type { Parameter, Reference, SecretUri, Step, StepOf } from './step-schema.ts';

/** One field that a step changes, as a person reads it. Secrets appear as fingerprints. */
export type FieldChange = z.output<typeof fieldChange>;

/** A value that a step sends. */
export type StepValue = ValueOf<Step['params']> | ValueOf<NonNullable<Step['body']>>;
type ValueOf<Fields> = Fields extends unknown ? Fields[keyof Fields] | null | undefined : never;

/** A rail or a contradiction that keeps some steps of a plan, or all, from running. */
export type Refusal = z.output<typeof refusal>;

/** Something that a reviewer should know and that changes nothing. */
export type Note = z.output<typeof note>;

/** The reason of steps that bring what is declared and not there; renderings may leave it out, as it goes without saying. */
export const missing = 'declared, and missing';

/** The reason of steps that edit what is there. */
export const differs = 'differs from what is declared';

/** A refusal, and what it holds up: the declared objects that it names, the calls with these ids, or all calls of the run. */
export interface Judged {
  readonly refusal: Refusal;
  readonly holds: 'objects' | 'all' | readonly string[];
}

/** The result of a kind for one desired object. */
export interface Diff {
  steps: Step[];
  refusals: Refusal[];
  notes: Note[];
}

export const emptyDiff = (): Diff => ({ steps: [], refusals: [], notes: [] });

/** The name by which steps refer to the id of an object that is about to be made. */
export const referenceName = (kind: string, key: string): string => `${kind} ${key}`;

/**
 * The id of a step: the same call for the same objects has the same id, and no two different calls share one. Names may
 * be any text, so they are not just joined.
 */
export const stepId = (operation: OperationId, ...keys: readonly string[]): string =>
  `${operation} ${JSON.stringify(keys)}`;

/**
 * Makes the step that calls an operation.
 *
 * @param keys what tells the call from others of the operation
 * @param rest without `after` it waits for no other step
 */
export function makeStep<Op extends StepOperation>(
  operation: Op,
  keys: readonly string[],
  object: Step['object'],
  rest: Omit<StepOf<Op>, 'id' | 'operation' | 'object' | 'after'> & { after?: string[] },
): StepOf<Op> {
  // The parts of one operation, put together.
  return {
    id: stepId(operation, ...keys),
    operation,
    object,
    ...rest,
    after: rest.after ?? [],
  } as unknown as StepOf<Op>;
}

export function isReference(value: StepValue): value is Reference {
  return typeof value === 'object' && value !== null && 'ref' in value;
}

/** The names of the ids that a step needs and that other steps make. */
export function referencesOf({ params, body }: Step): string[] {
  const values: Readonly<Record<string, StepValue>> = { ...params, ...body };
  return Object.values(values)
    .filter(isReference)
    .map(({ ref }) => ref);
}

export function isSecretUri(value: StepValue): value is SecretUri {
  return typeof value === 'object' && value !== null && 'uri' in value;
}

/** An id, or the name of the one that is yet to be made; empty where the call has none. Names have a space, ids never. */
export function idOf(value: string | Reference | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : value.ref;
}

/** Lists the first names, and how many more there are: a message about thousands names a few. */
export function listUpTo(most: number, names: readonly string[], separator = ', '): string {
  const rest = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(separator)}${rest}`;
}
