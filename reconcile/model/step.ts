import type { MembershipWindow, OperationId } from '@rolecall/api';
import type { SecretSource } from './desired.ts';

/** The operations that steps call. No plan can make a run call another one, not even a plan written by hand. */
export const stepOperations = [
  'createDataSource',
  'updateDataSource',
  'deleteDataSource',
  'createPerson',
  'lockPerson',
  'unlockPerson',
  'deletePerson',
  'createRole',
  'deleteRole',
  'addRolePerson',
  'setRolePersonWindows',
  'removeRolePerson',
  'addRoleDataSource',
  'removeRoleDataSource',
  'createPermission',
  'deletePermission',
  'createSnippet',
  'updateSnippet',
  'lockSnippet',
  'unlockSnippet',
  'deleteSnippet',
  'createSnippetVersion',
  'activateSnippetVersion',
] as const satisfies readonly OperationId[];
export type StepOperation = (typeof stepOperations)[number];

/** What a step does to access, in the order in which a reviewer cares. */
export const effects = ['create', 'change', 'grant', 'revoke', 'replace', 'remove'] as const;
export type Effect = (typeof effects)[number];

/** An id that an earlier step will make, by the name that the step gives it. */
export interface Reference {
  ref: string;
}

/** A connection URI whose password is put in at the moment of the call, so that no plan ever holds it. */
export interface SecretUri {
  uri: string;
  password: SecretSource | null;
}

export type StepValue = string | number | boolean | null | Reference | SecretUri | readonly MembershipWindow[];

/** The reason of steps that bring what is declared and not there; renderings may leave it out, as it goes without saying. */
export const missing = 'declared, and missing';

/** One field that a step changes, as a person reads it. Secrets appear as fingerprints. */
export interface FieldChange {
  field: string;
  from: string | null;
  to: string | null;
}

/** One API call, as data. */
export interface Step {
  /** Unique within the plan, and the same each time the same plan is made. */
  id: string;
  operation: StepOperation;
  params: Record<string, string | Reference>;
  body?: Record<string, StepValue>;
  /** The declared object that the step serves, or an undeclared one on the server, which may have the same name. */
  object: { kind: string; name: string; undeclared?: true };
  /** What the call does, in words: "add Ada to analysts". */
  summary: string;
  /** Why it is needed. */
  reason: string;
  effect: Effect;
  changes?: FieldChange[];
  /** The name under which later steps refer to the id that this call answers with. */
  makes?: string;
  /** Ids of the steps that must have succeeded before. */
  after: string[];
}

/** A rail or a contradiction that keeps some steps of a plan, or all, from running. */
export interface Refusal {
  rail: RailName;
  objects: string[];
  /** Where those of them that are declared are: `access/people.yaml:12`. Absent where none is, or no file is known. */
  places?: string[];
  message: string;
  remedy: string;
  /** The token that overrides it; absent where nothing does. */
  override?: string;
}

/** A refusal, and what it holds up: the declared objects that it names, the calls with these ids, or all calls of the run. */
export interface Judged {
  readonly refusal: Refusal;
  readonly holds: 'objects' | 'all' | readonly string[];
}

export const railNames = [
  'ambiguous',
  'missing-reference',
  'still-referenced',
  'declared-twice',
  'email-taken',
  'window-past',
  'password-undeclared',
  'replace-person',
  'protected',
  'last-member',
  'removal-share',
  'critical',
  'first-removal',
] as const;
export type RailName = (typeof railNames)[number];

/** What programs decide by. The message of a note is for people. */
export const noteCodes = ['undetermined', 'kept-by-runs'] as const;

/** Something that a reviewer should know and that changes nothing. */
export interface Note {
  object: string;
  message: string;
  code?: (typeof noteCodes)[number];
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
