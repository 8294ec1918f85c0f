import { newId } from '../ids.ts';
import { notFound, Refusal } from '../refusal.ts';
import { deleteLease, extendLease, leaseEnd, replaceLease, type StoredLease, selectLease } from '../store/lease.ts';
import type { Executor } from '../store/store.ts';
import type { Handlers } from './handler.ts';

export const leaseHandlers = {
  readLease: async (_request, { store }) =>
    store.read(async (executor) => {
      const lease = await selectLease(executor);
      if (lease === undefined || (await hasEnded(executor, lease))) return { lease: null };
      const { holder, takenAt, expiresAt } = lease;
      return { lease: { holder, takenAt, expiresAt } };
    }),

  takeLease: async ({ body: { holder, seconds } }, { store, keyId }) =>
    store.create([], async (executor, record) => {
      const current = await selectLease(executor);
      if (current !== undefined && !(await hasEnded(executor, current))) {
        throw new Refusal(
          'lease_held',
          `"${current.holder}" holds the lease since ${current.takenAt}, until ${current.expiresAt} unless it is renewed`,
        );
      }
      const takenAt = (await executor.now()).toISOString();
      const lease = { id: newId(), holder, takenAt, expiresAt: await leaseEnd(executor, seconds) };
      await replaceLease(executor, current, { ...lease, keyId });
      record([
        ...(current === undefined ? [] : [ended(current, 'it had run out')]),
        { kind: 'lease', id: lease.id, name: holder, action: 'taken', after: { holder } },
      ]);
      return lease;
    }),

  renewLease: async ({ params, body }, { store, keyId }) =>
    store.write([], async (executor) => {
      const { keyId: _same, ...lease } = await ownLease(executor, params.lease, keyId);
      const expiresAt = await leaseEnd(executor, body.seconds);
      await extendLease(executor, lease.id, expiresAt);
      return { ...lease, expiresAt };
    }),

  releaseLease: async ({ params }, { store, keyId }) => {
    await store.write([], async (executor, record) => {
      const lease = await ownLease(executor, params.lease, keyId);
      await deleteLease(executor, lease.id);
      record([ended(lease, 'it was released')]);
    });
    return {};
  },
} satisfies Partial<Handlers>;

/** @throws Refusal not_found if another one has it, or this key did not take it */
async function ownLease(executor: Executor, id: string, keyId: string): Promise<StoredLease> {
  const lease = await selectLease(executor);
  if (lease?.id !== id || lease.keyId !== keyId) throw notFound('lease', id);
  return lease;
}

async function hasEnded(executor: Executor, { expiresAt }: StoredLease): Promise<boolean> {
  return Date.parse(expiresAt) <= (await executor.now()).getTime();
}

const ended = ({ id, holder }: StoredLease, reason: string) =>
  ({ kind: 'lease', id, name: holder, action: 'ended', after: { reason } }) as const;
