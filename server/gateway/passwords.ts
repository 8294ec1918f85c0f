import { randomBytes } from 'node:crypto';
import { newId } from '../ids.ts';
import { type HashVerifier, makeHashVerifier } from '../protocols/mysql/proofs.ts';
import { makeVerifier, type Verifier } from '../protocols/postgresql/scram.ts';
import { openGenuine, type Seal } from '../secrets/seal.ts';
import {
  deletePassword,
  insertPassword,
  isUsable,
  type NamedPassword,
  selectPasswordsNamed,
  selectPasswordsOf,
} from '../store/gateway-password.ts';
import { caseless } from '../store/person.ts';
import type { Executor } from '../store/store.ts';

/** The most passwords of one person for one data source; the oldest ends when another one is made. */
const mostOfSource = 20;

/** A password that is about to be stored. The password itself is shown once, and kept nowhere. */
export interface NewPassword {
  readonly password: string;
  /** For each protocol. */
  readonly verifier: Verifier & HashVerifier;
}

/** A password that proves its person at this moment. */
export interface LivePassword extends Verifier, HashVerifier {
  readonly id: string;
  /** The person's id. */
  readonly person: string;
  readonly username: string;
  readonly source: {
    readonly id: string;
    readonly name: string;
    readonly alias: string | null;
    readonly sealedUri: Uint8Array;
  };
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** Time at which it was read from the store, by the store's clock, in milliseconds since 1970. */
  readonly readAt: number;
  /** The person's session that made it, and when its longest life is over. */
  readonly session: { readonly id: string; readonly expiresAt: number };
}

/** Makes a password of 256 random bits. Takes some milliseconds of a thread, so do it before the write. */
export async function newPassword(): Promise<NewPassword> {
  const password = randomBytes(32).toString('base64url');
  const scram = await makeVerifier(password);
  return { password, verifier: { ...scram, ...makeHashVerifier(password) } };
}

/** Stores a password, within a write of the caller's. @returns its id */
export async function storePassword(
  executor: Executor,
  seal: Seal,
  owner: { person: string; dataSource: string; session: string },
  { verifier }: NewPassword,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<string> {
  const all = await selectPasswordsOf(executor, owner.person);
  const ofSource = all.filter(({ dataSource }) => dataSource === owner.dataSource);
  for (const { id } of ofSource.slice(mostOfSource - 1)) await deletePassword(executor, id);
  const id = newId();
  const content: Sealed = {
    storedKey: verifier.storedKey.toString('base64'),
    serverKey: verifier.serverKey.toString('base64'),
    sha1: verifier.sha1.toString('base64'),
    sha2: verifier.sha2.toString('base64'),
    expiresAt,
  };
  await insertPassword(executor, {
    id,
    ...owner,
    sealed: seal.close(JSON.stringify(content), rowName({ id, ...owner })),
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  });
  return id;
}

/**
 * The passwords that prove a person for a data source, by the names that a client gives. Reads the same for names that do not
 * exist.
 *
 * @param dataSource alias, name or identifier
 * @param now by the store's clock, in milliseconds since 1970
 */
export async function findPasswords(
  executor: Executor,
  seal: Seal,
  { username, dataSource, now }: { username: string; dataSource: string; now: number },
): Promise<LivePassword[]> {
  const rows = await selectPasswordsNamed(executor, caseless(username), dataSource);
  return rows
    .filter((row) => isUsable(row, now))
    .map((row) => open(seal, row, now))
    .filter((password) => password !== undefined && now < password.expiresAt) as LivePassword[];
}

interface Sealed {
  readonly storedKey: string;
  readonly serverKey: string;
  readonly sha1: string;
  readonly sha2: string;
  readonly expiresAt: number;
}

/** @returns undefined for a row that the service did not write like this */
function open(seal: Seal, row: NamedPassword, readAt: number): LivePassword | undefined {
  const opened = openGenuine(seal, row.sealed, rowName(row));
  if (opened === undefined) return undefined;
  // Only the service seals, and only this.
  const { storedKey, serverKey, sha1, sha2, expiresAt } = JSON.parse(opened) as Sealed;
  return {
    id: row.id,
    person: row.person,
    username: row.username,
    source: { id: row.dataSource, name: row.sourceName, alias: row.sourceAlias, sealedUri: row.sourceUri },
    storedKey: Buffer.from(storedKey, 'base64'),
    serverKey: Buffer.from(serverKey, 'base64'),
    sha1: Buffer.from(sha1, 'base64'),
    sha2: Buffer.from(sha2, 'base64'),
    expiresAt,
    readAt,
    session: { id: row.session, expiresAt: Date.parse(row.sessionTimes.expiresAt) },
  };
}

function rowName({ id, person, dataSource }: { id: string; person: string; dataSource: string }): string {
  return `gateway_password ${id} ${person} ${dataSource}`;
}
