import type { MembershipWindow, OperationId } from '@rolecall/api';
import type { z } from 'zod';
import type { fieldChange, note, reference, refusal, secretUri, step } from './plan-schema.ts';

/** An id that an earlier step will make, by the name that the step gives it. */
export type Reference = z.output<typeof reference>;

/** A connection URI whose password is put in at the moment of the call, so that no plan ever holds it. */
export type SecretUri = z.output<typeof secretUri>;

/** One field that a step changes, as a person reads it. Secrets appear as fingerprints. */
export type FieldChange = z.output<typeof fieldChange>;

/** One API call, as data. */
export type Step = z.output<typeof step>;

export type StepValue = NonNullable<Step['body']>[string];

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

/** What a kind makes of one desired object. */
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

export function isReference(value: StepValue): value is Reference {
  return typeof value === 'object' && value !== null && 'ref' in value;
}

/** The names of the ids that a step needs and that other steps make. */
export function referencesOf({ params, body = {} }: Step): string[] {
  return [...Object.values(params), ...Object.values(body)].filter(isReference).map(({ ref }) => ref);
}

export function isSecretUri(value: StepValue): value is SecretUri {
  return typeof value === 'object' && value !== null && 'uri' in value;
}

/** An id, or the name of the one that is yet to be made; empty where the call has none. Names have a space, ids never. */
export function idOf(value: string | Reference | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : value.ref;
}

/** The times in a role that a step sets; undefined for any other step. */
export function windowsOf({ operation, body }: Step): readonly MembershipWindow[] | undefined {
  const windows = operation === 'setRolePersonWindows' ? body?.['windows'] : undefined;
  // Steps are data; the plan's schema and the service check what stands there.
  return Array.isArray(windows) ? (windows as readonly MembershipWindow[]) : undefined;
}

/** Whether a step puts a person into a role: for good, or for a time. */
export function isJoining({ operation }: Step): boolean {
  return operation === 'addRolePerson' || operation === 'setRolePersonWindows';
}

/** Lists the first names, and how many more there are: a message about thousands names a few. */
export function listUpTo(most: number, names: readonly string[], separator = ', '): string {
  const rest = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(separator)}${rest}`;
}
