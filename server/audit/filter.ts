import type { Change, Entry, FieldValue } from './entry.ts';

/** Which entries are wanted; what is left out does not matter. */
export interface EntryFilter {
  /** ISO 8601; entries of this time and later. */
  readonly since?: string | undefined;
  /** ISO 8601; entries before this time. */
  readonly until?: string | undefined;
  /** Identifier or name of the API key that made the change, or was changed itself. */
  readonly key?: string | undefined;
  /** Identifiers of objects that were changed, or that an object that was changed refers to: one of them is enough. */
  readonly objects?: ReadonlySet<string> | undefined;
}

export function matches(entry: Entry, { since, until, key, objects }: EntryFilter): boolean {
  if (since !== undefined && entry.at < since) return false;
  if (until !== undefined && entry.at >= until) return false;
  if (key !== undefined && !concernsKey(entry, key)) return false;
  return objects === undefined || entry.changes.some((change) => concerns(change, objects));
}

function concernsKey({ actor, changes }: Entry, key: string): boolean {
  return (
    (actor.type === 'api_key' && (actor.id === key || actor.name === key)) ||
    changes.some(({ kind, id, name }) => kind === 'api_key' && (id === key || name === key))
  );
}

function concerns({ id, before = {}, after = {} }: Change, objects: ReadonlySet<string>): boolean {
  if (objects.has(id)) return true;
  return [...Object.values(before), ...Object.values(after)].some((value) => refersTo(value, objects));
}

/** Only whole fields: an identifier in the middle of a name is none. */
function refersTo(value: FieldValue, objects: ReadonlySet<string>): boolean {
  return typeof value === 'string' && objects.has(value);
}

/** The identifiers of the people who have, or had at some time, a username; the case of letters does not matter. */
export function peopleNamed(entry: Entry, username: string): string[] {
  const wanted = username.toLowerCase();
  return entry.changes.flatMap(({ kind, id, name }) =>
    kind === 'person' && name?.toLowerCase() === wanted ? [id] : [],
  );
}
