import { CallError, type ClientOptions, claimsOf, ExchangedKeySource, IdTokenError, readIdToken } from '@rolecall/api';
import type { Connection, Identity } from '../../workspace/connection.ts';
import { sourceName } from '../../workspace/id-token.ts';
import { type Finding, failure, ok } from './finding.ts';
import { findingsOf } from './look-at-key.ts';

/** A key to look with, and what it is; or why there is none. */
type Seen = { readonly key: Pick<ClientOptions, 'keyId' | 'keySecret'>; readonly finding: Finding } | Finding[];

/**
 * Finds out as whom the command line comes. A token is exchanged for that, as every command does it.
 *
 * @param options of the client, besides the key
 * @throws errors that are about neither the token nor the call
 */
export async function lookAtIdentity(
  connection: Connection,
  options: Omit<ClientOptions, 'keyId' | 'keySecret'>,
): Promise<Seen> {
  const { identity } = connection;
  if (identity.by === 'key') return { key: identity, finding: ok('key', `${identity.keyId}, with a secret`) };
  try {
    const token = await readIdToken(identity.source, identity.audience);
    const { id, secret, expiresAt } = await new ExchangedKeySource(options, () => Promise.resolve(token)).current();
    const what = `${id} until ${expiresAt}, exchanged for ${describeToken(identity, token)}`;
    return { key: { keyId: id, keySecret: secret }, finding: ok('key', what) };
  } catch (error) {
    if (error instanceof IdTokenError) return [failure('key', error.message)];
    if (error instanceof CallError) return findingsOf(error, connection);
    throw error;
  }
}

function describeToken({ source }: Extract<Identity, { by: 'token' }>, token: string): string {
  const { subject, issuer, expiresAt } = claimsOf(token);
  const end = expiresAt === undefined ? '' : ` until ${expiresAt.toISOString()}`;
  const once = source.from === 'value' ? '; it works once, and so for no other command' : '';
  return `the token (${sourceName(source)}) of ${subject ?? 'no one'} by ${issuer ?? 'no issuer'}${end}${once}`;
}
