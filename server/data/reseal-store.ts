import type { KeyObject } from 'node:crypto';
import { commandLineEntry } from '../audit/command-line.ts';
import { resealTrail, trailKeys } from '../audit/trail.ts';
import { layeredHash } from '../secrets/key-hash.ts';
import { openGenuine } from '../secrets/seal.ts';
import { deriveKey, fingerprint, makeStoreKey } from '../secrets/store-key.ts';
import { isIntact, sealKeys } from '../store/api-key.ts';
import { resealUris } from '../store/data-source.ts';
import { type KeptAnswer, resealAnswers } from '../store/idempotency.ts';
import { deleteAllTokens } from '../store/one-time-token.ts';
import { deleteAllSessions } from '../store/person-session.ts';
import { factorRow, resealFactors } from '../store/sign-in-factor.ts';
import type { Executor } from '../store/store.ts';
import { keyCheckName, writeStoreMeta } from '../store/store-meta.ts';
import { deriveKeySet, type KeySet, writeInnerKeys } from './unlock-store.ts';

/** Result of changing a store's key. */
export interface Resealed {
  /** Number of connection URIs that are sealed with the new key. */
  readonly dataSources: number;
  /** The data sources whose URI could not be opened before either; it stays as it is. */
  readonly unreadable: readonly string[];
}

/**
 * Puts everything in a store that hangs on its key under another one. In one transaction, so that each reader finds all of it
 * under one key. A column that is sealed, hashed or signed with the store's key belongs in here.
 *
 * @throws AuditTrailError where the audit trail was changed in the database
 */
export async function resealStore(executor: Executor, from: KeySet, newKey: KeyObject): Promise<Resealed> {
  const until = await resealTrail(executor, {
    from: from.trail,
    to: trailKeys(newKey),
    entry: commandLineEntry('store rekey', []),
  });
  const fresh = makeStoreKey();
  const inner = [...from.inner.map((entry) => ({ until, ...entry })), { key: fresh }];
  const to = deriveKeySet(newKey, inner);
  await writeInnerKeys(executor, to.seal, inner);
  await sealKeys(executor, to.seal, {
    // What was changed in the database stays refused.
    mayBeSealed: (key) => isIntact(from.seal, key),
    rehash: (hash) => layeredHash([fresh], hash),
  });
  // Neither key opens what was changed in the database: that must not keep the leaked one in use.
  await resealAnswers(executor, (kept) => resealAnswer(kept, from, to, fresh));
  await resealFactors(executor, (factor) => {
    const row = factorRow(factor);
    const text = openGenuine(from.seal, factor.sealed, row);
    return text === undefined ? undefined : to.seal.close(text, row);
  });
  // Anyone with the old key could have made any of these.
  await deleteAllSessions(executor);
  await deleteAllTokens(executor);
  const unreadable: string[] = [];
  const dataSources = await resealUris(executor, (sealed, id) => {
    const uri = openGenuine(from.seal, sealed, id);
    if (uri === undefined) unreadable.push(id);
    return uri === undefined ? undefined : to.seal.close(uri, id);
  });
  await writeStoreMeta(executor, { name: keyCheckName, value: fingerprint(newKey) });
  return { dataSources, unreadable };
}

function resealAnswer(kept: KeptAnswer, from: KeySet, to: KeySet, fresh: KeyObject): KeptAnswer {
  const fingerprint = layeredHash([deriveKey(fresh, 'idempotent request')], kept.fingerprint);
  const row = `idempotency ${kept.apiKeyId} ${kept.key}`;
  const answer = kept.answer === null ? undefined : openGenuine(from.seal, kept.answer, row);
  return { ...kept, fingerprint, answer: answer === undefined ? kept.answer : to.seal.close(answer, row) };
}
