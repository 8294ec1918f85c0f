import { randomBytes } from 'node:crypto';
import { type Scope, scopes } from '@rolecall/api';
import { changed, created } from '../audit/change.ts';
import { commandLineEntry } from '../audit/command-line.ts';
import { showKey } from '../audit/show.ts';
import { type Data, withData } from '../data/open-data.ts';
import type { StoreLocation } from '../data/store-location.ts';
import { newId } from '../ids.ts';
import type { Environment } from '../secrets/key-source.ts';
import {
  findKey,
  insertKey,
  isIntact,
  type KeyRecord,
  type StoredKey,
  selectKeys,
  updateKey,
} from '../store/api-key.ts';
import { findDataSource, findDataSourceByAlias } from '../store/data-source.ts';
import type { Executor } from '../store/store.ts';

/** The location of the keys. The service may be running: changes take effect with its next request. */
export interface KeyStore extends StoreLocation {
  /** Environment with the variables ROLECALL_STORE_KEY…; default: the process's environment. */
  environment?: Environment;
}

/** A key with its secret, which is shown only once and stored nowhere. */
export interface NewKey extends KeyRecord {
  secret: string;
}

export interface ListedKey extends KeyRecord {
  /** False if the row was changed in the database: the service refuses such a key. */
  intact: boolean;
}

export class KeyError extends Error {
  override name = 'KeyError';
  readonly code:
    | 'ERR_KEY_NOT_FOUND'
    | 'ERR_KEY_REVOKED'
    | 'ERR_KEY_ALTERED'
    | 'ERR_KEY_SCOPE'
    | 'ERR_KEY_EXPIRY'
    | 'ERR_KEY_NAME'
    | 'ERR_KEY_DATA_SOURCE';
  constructor(code: KeyError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Makes an API key, and the store if there is none yet.
 *
 * @param name for people; several keys may have the same
 * @param expiresAt default: never
 * @param dataSources aliases or identifiers; the key is limited to these. Default: all data sources, and everything else
 * @throws KeyError for a scope or a data source that does not exist, an expiry in the past or an invalid name, and
 *   what `openData` throws
 */
export async function createKey({
  scope,
  expiresAt,
  name,
  dataSources,
  ...where
}: KeyStore & { scope: Scope; expiresAt?: Date; name?: string; dataSources?: readonly string[] }): Promise<NewKey> {
  if (!scopes.includes(scope)) {
    throw new KeyError('ERR_KEY_SCOPE', `the scope must be one of ${scopes.join(', ')}`);
  }
  if (expiresAt !== undefined && !(expiresAt.getTime() > Date.now())) {
    throw new KeyError('ERR_KEY_EXPIRY', 'the key would have expired before it is made: give a time to come');
  }
  if (name !== undefined && !isName(name)) {
    throw new KeyError(
      'ERR_KEY_NAME',
      `a name has 1 to ${longestName} characters, no line breaks among them, and no blank at its ends`,
    );
  }
  return withData(where, async (data) =>
    data.store.write([], async (executor, record) => {
      const key = await makeKey(executor, data, {
        name: name ?? null,
        scope,
        dataSources: await resolveDataSources(executor, dataSources),
        createdAt: new Date().toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
      });
      const { secret: _secret, ...shown } = key;
      record(commandLineEntry('keys create', [created(showKey(shown))]));
      return key;
    }),
  );
}

/** Stores a new key. @param token that it was exchanged for: its digest, which no other key may have, and its end */
export async function makeKey(
  executor: Executor,
  { seal, keyHash }: Pick<Data, 'seal' | 'keyHash'>,
  fields: Pick<KeyRecord, 'name' | 'scope' | 'dataSources' | 'createdAt' | 'expiresAt'>,
  token?: { digest: string; expiresAt: string },
): Promise<NewKey> {
  const secret = newSecret();
  const key = { id: newId(), ...fields, rotatedAt: null, revokedAt: null };
  const origin = { tokenDigest: token?.digest ?? null, tokenExpiresAt: token?.expiresAt ?? null };
  await insertKey(executor, seal, { ...key, ...origin, secretHash: keyHash.hash(secret) });
  return { ...key, secret };
}

/** Every key, including revoked ones, oldest first. */
export async function listKeys(where: KeyStore): Promise<ListedKey[]> {
  return withData(where, async ({ store, keys }) =>
    keys.underOneKey(async ({ seal }) => {
      const keys = await store.read(selectKeys);
      return keys.map((key) => ({ ...recordOf(key), intact: isIntact(seal, key) }));
    }),
  );
}

/** Makes a key invalid, for good. Revoking it again changes nothing. */
export async function revokeKey({ id, ...where }: KeyStore & { id: string }): Promise<KeyRecord> {
  return withData(where, async ({ store, seal }) => {
    return store.write([], async (executor, record) => {
      const current = await findKey(executor, id);
      if (current === undefined) throw noSuchKey(id);
      if (current.revokedAt !== null && isIntact(seal, current)) return recordOf(current);
      const key = recordOf(await updateKey(executor, seal, current, { revokedAt: new Date().toISOString() }));
      record(commandLineEntry('keys revoke', changed(showKey(recordOf(current)), showKey(key))));
      return key;
    });
  });
}

/** Gives a key a new secret; the old one is invalid from then on. */
export async function rotateKey({ id, ...where }: KeyStore & { id: string }): Promise<NewKey> {
  const secret = newSecret();
  return withData(where, async ({ store, keyHash, seal }) => {
    const at = new Date().toISOString();
    return store.write([], async (executor, record) => {
      const current = await findKey(executor, id);
      if (current === undefined) throw noSuchKey(id);
      if (current.revokedAt !== null) throw new KeyError('ERR_KEY_REVOKED', `the key ${id} is revoked: make a new one`);
      if (!isIntact(seal, current)) throw altered(id);
      const change = { secretHash: keyHash.hash(secret), rotatedAt: at };
      const key = recordOf(await updateKey(executor, seal, current, change));
      const changes = changed(showKey(recordOf(current)), showKey(key));
      record(
        commandLineEntry(
          'keys rotate',
          changes.map((change) => ({ ...change, secrets: ['secret changed'] })),
        ),
      );
      return { ...key, secret };
    });
  });
}

/**
 * The identifiers of the data sources that a key is limited to: a later data source with the same alias is another one.
 *
 * @param names aliases or identifiers
 * @throws KeyError if there is none with that name
 */
export async function resolveDataSources(
  executor: Executor,
  names: readonly string[] | undefined,
): Promise<string[] | null> {
  if (names === undefined) return null;
  if (names.length === 0 || names.length > mostDataSources) {
    throw new KeyError('ERR_KEY_DATA_SOURCE', `a key is limited to 1 to ${mostDataSources} data sources`);
  }
  const ids = new Set<string>();
  for (const name of names) {
    const id = (await findDataSource(executor, name))?.id ?? (await findDataSourceByAlias(executor, name));
    if (id === undefined) {
      throw new KeyError('ERR_KEY_DATA_SOURCE', `there is no data source with the alias or identifier ${name}`);
    }
    ids.add(id);
  }
  return [...ids];
}

const mostDataSources = 100;

/** In characters. */
const longestName = 100;

/** A name is shown in one line of a table. */
function isName(text: string): boolean {
  return (
    text.trim() === text && text !== '' && text.length <= longestName && !/\p{Cc}/u.test(text) && text.isWellFormed()
  );
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function recordOf(stored: StoredKey): KeyRecord {
  const { secretHash: _hash, mac: _mac, tokenDigest: _digest, tokenExpiresAt: _end, ...key } = stored;
  return key;
}

function altered(id: string): KeyError {
  return new KeyError(
    'ERR_KEY_ALTERED',
    `the row of the key ${id} was changed in the database, and is refused: revoke it, make a new key, and find out who did it`,
  );
}

function noSuchKey(id: string): KeyError {
  return new KeyError('ERR_KEY_NOT_FOUND', `there is no key ${id}; "rolecall keys list" shows the keys`);
}
