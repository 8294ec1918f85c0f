import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StoreKeyError } from '../store/errors.ts';

const keyBytes = 32;
const form = `${keyBytes} bytes in base64; "openssl rand -base64 ${keyBytes}" makes one`;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The key that everything secret in a store hangs on: from ROLECALL_STORE_KEY, from the file that
 * ROLECALL_STORE_KEY_FILE names, or else from `store.key` beside the store.
 *
 * @param mayCreate whether a missing `store.key` is made: only for a store that is new
 * @throws StoreKeyError, which never repeats the key
 */
export function loadStoreKey(dataDir: string, environment: Environment, mayCreate: boolean): KeyObject {
  const given = givenStoreKey(environment);
  if (given !== undefined) return given;
  const file = path.join(dataDir, 'store.key');
  const text = readIfThere(file) ?? (mayCreate ? createKeyFile(file) : undefined);
  if (text === undefined) {
    throw new StoreKeyError(
      `${file} is missing, and without it the store's secrets cannot be read: put it back, or set ROLECALL_STORE_KEY`,
    );
  }
  return decodeKey(text, file);
}

/**
 * The key of a store in a database, which is never made here: it must not lie beside the data, and all replicas share it.
 *
 * @throws StoreKeyError, which never repeats the key
 */
export function requireStoreKey(environment: Environment): KeyObject {
  const given = givenStoreKey(environment);
  if (given !== undefined) return given;
  throw new StoreKeyError(
    `a store in a database needs its key from outside: at every replica set ROLECALL_STORE_KEY, or a file that ROLECALL_STORE_KEY_FILE names, to the same ${form}`,
  );
}

function givenStoreKey(environment: Environment): KeyObject | undefined {
  const given = environment['ROLECALL_STORE_KEY'];
  if (given !== undefined && given !== '') return decodeKey(given, 'ROLECALL_STORE_KEY');
  const named = environment['ROLECALL_STORE_KEY_FILE'];
  if (named === undefined || named === '') return undefined;
  const text = readIfThere(named);
  if (text === undefined) throw new StoreKeyError(`ROLECALL_STORE_KEY_FILE names ${named}, which does not exist`);
  return decodeKey(text, named);
}

/** Derives a key for one purpose, so that no two purposes ever share one (RFC 5869). */
export function deriveKey(storeKey: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', storeKey, '', `rolecall ${purpose}`, keyBytes)));
}

/** Recognises a key without giving anything of it away. */
export function fingerprint(storeKey: KeyObject): string {
  return createHmac('sha256', deriveKey(storeKey, 'key of a sealed store')).update('rolecall').digest('hex');
}

/**
 * The same, in a store from before its rows were sealed. No store has it any more once they are, and without the key nobody
 * can make it: so nobody gets forged rows sealed by passing a store off as an old one.
 */
export function unsealedFingerprint(storeKey: KeyObject): string {
  return createHmac('sha256', deriveKey(storeKey, 'key check')).update('rolecall').digest('hex');
}

/** Whether a store that says this of its key was made with that key. */
export function isCheckOf(check: string | undefined, storeKey: KeyObject): boolean {
  return check === fingerprint(storeKey) || check === unsealedFingerprint(storeKey);
}

function decodeKey(text: string, source: string): KeyObject {
  const trimmed = text.trim();
  const bytes = Buffer.from(trimmed, 'base64');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(trimmed) || bytes.length !== keyBytes) {
    throw new StoreKeyError(`${source} must hold ${form}`);
  }
  return createSecretKey(bytes);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new StoreKeyError(`${file} cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
}

/** Two processes may come here at once: the link is made by one of them, and both use what it points to. */
function createKeyFile(file: string): string {
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8');
}
