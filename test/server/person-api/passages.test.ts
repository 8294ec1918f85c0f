import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gate } from '../../../server/access/gate.ts';
import type { EntryDraft } from '../../../server/audit/entry.ts';
import { Passages } from '../../../server/person-api/passages.ts';
import { Refusal } from '../../../server/refusal.ts';
import { StoreUnavailableError } from '../../../server/store/errors.ts';

const query = { id: 'q', person: 'ada', source: { id: 's', name: 'Billing', alias: 'shop' } } as const;

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}

/** A gate that says what a test wants, and ends when a test wants it. */
function gateOf(allowed: boolean) {
  let end: (() => void) | undefined;
  const gate = Object.assign(Object.create(Gate.prototype) as Gate, {
    enter: (_person: string, _source: string, onEnd: (denial: { reason: 'person_locked' }) => void) => {
      end = () => {
        onEnd({ reason: 'person_locked' });
      };
      const reach = allowed ? { allowed, until: Infinity, through: [] } : { allowed, reason: 'person_locked' as const };
      return Promise.resolve({ reach, leave: () => undefined });
    },
  });
  return { gate, end: () => end?.() };
}

function passagesOf(gate: Gate, fail: () => void = () => undefined) {
  const entries: EntryDraft[] = [];
  const errors: string[] = [];
  const write = async (_changes: unknown, work: (executor: never, record: (entry: EntryDraft) => void) => unknown) => {
    fail();
    await work(undefined as never, (entry) => entries.push(entry));
  };
  const store = { write } as unknown as ConstructorParameters<typeof Passages>[0]['store'];
  const onError = (_error: unknown, what: string) => errors.push(what);
  return { passages: new Passages({ gate, store, clock: () => new Date(), onError }), entries, errors };
}

it('a passage of a person whom the gate does not let in is refused, though a moment ago it would have', async () => {
  const { passages, entries } = passagesOf(gateOf(false).gate);
  const ended: string[] = [];
  await assert.rejects(
    passages.enter(query, (reason) => ended.push(reason)),
    (error: unknown) => error instanceof Refusal && error.code === 'access_ended',
  );
  assert.deepEqual([ended, entries], [[], []]);
});

it('the end of a passage is told in words, and recorded once the store is there again', async () => {
  const { gate, end } = gateOf(true);
  let failures = 1;
  const { passages, entries, errors } = passagesOf(gate, () => {
    failures -= 1;
    if (failures >= 0) throw new StoreUnavailableError('away');
  });
  const ended: string[] = [];
  await passages.enter(query, (reason) => ended.push(reason));
  end();
  assert.deepEqual(ended, ['your account is locked']);
  await until(() => entries.length > 0);
  const [change] = entries[0]?.changes ?? [];
  assert.deepEqual(change?.after, { person: 'ada', dataSource: 's', reason: 'your account is locked' });
  assert.deepEqual(errors, []);
});

it('an end that cannot be recorded for another reason than the store is away is reported', async () => {
  const { gate, end } = gateOf(true);
  const { passages, errors } = passagesOf(gate, () => {
    throw new Error('broken');
  });
  await passages.enter(query, () => undefined);
  end();
  await until(() => errors.length > 0);
  assert.deepEqual(errors, ['the audit trail has no entry for the end of an access']);
});
