import { type AccessLevel, accessLevels, type MySnippet, type OwnedObject, type PersonRoute } from '@rolecall/api';
import { describeDenial } from '../access/describe-denial.ts';
import type { Gate } from '../access/gate.ts';
import { notFound, Refusal } from '../refusal.ts';
import { findDataSource } from '../store/data-source.ts';
import { findEditorOfPerson } from '../store/editor.ts';
import { findPasswordOf } from '../store/gateway-password.ts';
import { findGatewaySessionOf } from '../store/gateway-session.ts';
import { findSessionOf } from '../store/person-session.ts';
import { findQueryOfPerson } from '../store/query.ts';
import { findFactorOf } from '../store/sign-in-factor.ts';
import { findSnippetLevel } from '../store/snippet-level.ts';
import type { Executor, Store } from '../store/store.ts';

interface Owned {
  readonly id?: string;
  /** The data source that it belongs to, if it belongs to one. */
  readonly dataSource?: string;
}

type Find = (executor: Executor, id: string, person: string) => Promise<Owned | undefined>;

/** Finders of the kinds: by the object's id and its person together, never by the id alone. */
const finders: Readonly<Record<Exclude<OwnedObject, 'snippet'>, Find>> = {
  session: findSessionOf,
  factor: findFactorOf,
  password: findPasswordOf,
  gatewaySession: findGatewaySessionOf,
  editor: findEditorOfPerson,
  query: findQueryOfPerson,
};

/**
 * Holds a request to what its path names: the object is the person's own, and the person reaches its data source now.
 *
 * @param params of the path, by the names that the route table has for them
 * @param refused is called for a person whom the gate does not let in
 * @throws Refusal not_found, access_ended, snippet_level_too_low, snippet_locked
 */
export async function requireOwned(
  { ownObject: kind, level, reaches }: PersonRoute,
  params: Readonly<Record<string, unknown>>,
  person: string,
  { store, gate, refused }: { store: Store; gate: Gate; refused: (dataSource: string, why: string) => Promise<void> },
): Promise<void> {
  let dataSource = params['dataSource'];
  if (kind === 'snippet') {
    const id = String(params[kind]);
    // A route that names no level allows only people with the level `manage`.
    await store.read((executor) => requireLevel(executor, { id, person, level: level ?? 'manage' }));
  } else if (kind !== undefined) {
    const id = String(params[kind]);
    const owned = await store.read((executor) => finders[kind](executor, id, person));
    if (owned === undefined) throw notFound(kind, id);
    dataSource ??= owned.dataSource;
  }
  if (reaches !== true) return;
  const id = String(dataSource);
  const reach = await gate.reach(person, id);
  if (reach.allowed) return;
  const source = await store.read((executor) => findDataSource(executor, id));
  if (source === undefined) throw notReached(id);
  const why = describeDenial(reach, source);
  await refused(id, why);
  // A data source that a person never reached does not exist for them. An object that they own on it shows that they did.
  if (kind === undefined && reach.reason === 'not_granted') throw notReached(id);
  throw new Refusal('access_ended', why);
}

/**
 * Checks a person's level on a snippet. One that they may not read does not exist for them.
 *
 * @returns their level
 * @throws Refusal not_found, snippet_level_too_low, snippet_locked
 */
export async function requireLevel(
  executor: Executor,
  { id, person, level: needed }: { id: string; person: string; level: AccessLevel },
): Promise<MySnippet['level']> {
  const access = await findSnippetLevel(executor, id, person, (await executor.now()).toISOString());
  if (access === undefined) throw notFound('snippet', id);
  const { level, isLocked } = access;
  if (accessLevels.indexOf(level) < accessLevels.indexOf(needed)) {
    throw new Refusal('snippet_level_too_low', `your level on the snippet ${id} is ${level}; this takes ${needed}`);
  }
  if (isLocked && needed !== 'read_only') throw new Refusal('snippet_locked', `the snippet ${id} is locked`);
  return level;
}

/** A data source that the person does not reach, whether there is one or not. */
export function notReached(dataSource: string): Refusal {
  return new Refusal('not_found', `you reach no data source ${dataSource}`);
}
