import { batchSize } from './batches.ts';
import { changeBy, runWith } from './operations.ts';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';

/** A request that an Idempotency-Key stands for; each API key has keys of its own. */
export interface KeyedRequest {
  apiKeyId: string;
  key: string;
  fingerprint: Uint8Array;
}

/** A request that was answered: what it was, and the sealed body of its answer. */
export interface KeyedAnswer {
  fingerprint: Uint8Array;
  answer: Uint8Array;
}

const claim = statement<{ apiKeyId: string; key: string; fingerprint: Uint8Array; now: string; forgotten: string }>()(
  (db, request) =>
    db
      .insertInto('idempotency_key')
      .values({
        api_key_id: request.apiKeyId,
        key: request.key,
        fingerprint: request.fingerprint,
        created_at: request.now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['api_key_id', 'key'])
          .doUpdateSet({ fingerprint: request.fingerprint, answer: null, created_at: request.now })
          .where('idempotency_key.created_at', '<=', request.forgotten),
      )
      .returning('key'),
);

const byKey = statement<{ apiKeyId: string; key: string }>()((db, { apiKeyId, key }) =>
  db
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'answer'])
    .where('api_key_id', '=', apiKeyId)
    .where('key', '=', key),
);

/** Keeps the answer of a request whose key was taken before in this transaction. */
export const saveAnswer = runWith<{ apiKeyId: string; key: string; sealed: Uint8Array }>(
  (db, { apiKeyId, key, sealed }) =>
    db.updateTable('idempotency_key').set({ answer: sealed }).where('api_key_id', '=', apiKeyId).where('key', '=', key),
);

/**
 * Takes a key for a request, in the transaction that does the request. Where another transaction has it, this waits for
 * the end of that one (PostgreSQL; SQLite runs one at a time).
 *
 * @param forgotten keys that were taken until this time count no more
 * @returns what the key was answered with before; undefined where it is this request's now
 */
export async function claimKey(
  executor: Executor,
  request: KeyedRequest,
  { now, forgotten }: { now: string; forgotten: string },
): Promise<KeyedAnswer | undefined> {
  if ((await first(executor, claim, { ...request, now, forgotten })) !== undefined) return undefined;
  const stored = await first(executor, byKey, { apiKeyId: request.apiKeyId, key: request.key });
  if (stored === undefined || stored.answer === null) throw new Error('an Idempotency-Key was taken and not answered');
  return { fingerprint: stored.fingerprint, answer: stored.answer };
}

/** Removes keys that were taken until a time, as many as one statement takes. @returns whether there were any */
export const forgetSomeKeys = changeBy(['forgotten'], (db, { forgotten }) =>
  db
    .deleteFrom('idempotency_key')
    .where((eb) => {
      const some = eb.selectFrom('idempotency_key').where('created_at', '<=', forgotten).limit(batchSize.rows);
      const keys = some.select(['api_key_id', 'key']).$asTuple('api_key_id', 'key');
      return eb(eb.refTuple('api_key_id', 'key'), 'in', keys);
    })
    .returning('key'),
);

const page = statement<{ apiKeyId: string; key: string; limit: number }>()((db, { apiKeyId, key, limit }) =>
  db
    .selectFrom('idempotency_key')
    .select(['api_key_id as apiKeyId', 'key', 'fingerprint', 'answer'])
    .where((eb) =>
      eb.or([eb('api_key_id', '>', apiKeyId), eb.and([eb('api_key_id', '=', apiKeyId), eb('key', '>', key)])]),
    )
    .orderBy('api_key_id')
    .orderBy('key')
    .limit(limit),
);

const replace = statement<{ apiKeyId: string; key: string; fingerprint: Uint8Array; answer: Uint8Array | null }>()(
  (db, { apiKeyId, key, fingerprint, answer: sealed }) =>
    db
      .updateTable('idempotency_key')
      .set({ fingerprint, answer: sealed })
      .where('api_key_id', '=', apiKeyId)
      .where('key', '=', key),
);

export type KeptAnswer = KeyedRequest & { answer: Uint8Array | null };

/** Seals every answer anew, some at a time: there may be those of a whole day. */
export async function resealAnswers(executor: Executor, reseal: (kept: KeptAnswer) => KeptAnswer): Promise<void> {
  let last: KeptAnswer | undefined;
  do {
    const after = { apiKeyId: last?.apiKeyId ?? '', key: last?.key ?? '', limit: 500 };
    const kept: KeptAnswer[] = await executor.all(page, after);
    await Promise.all(kept.map(async (row) => executor.all(replace, { ...reseal(row) })));
    last = kept.at(-1);
  } while (last !== undefined);
}
