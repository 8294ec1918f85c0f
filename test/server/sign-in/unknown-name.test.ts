import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withData } from '../../../server/data/open-data.ts';
import type { PersonContext } from '../../../server/person-api/handler.ts';
import { signInHandlers } from '../../../server/person-api/handlers/sign-in.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';
import { longPassword, Visitor } from '../support/visitor.ts';

const service = await startTestService();

/** What a wrong password for a name costs: statements in the store, and secrets that are opened. */
async function costOf(username: string): Promise<{ statements: number; opened: number; macs: number }> {
  return withData(service.store, async ({ store, seal }) => {
    const cost = { statements: 0, opened: 0, macs: 0 };
    const counted: PersonContext['store']['read'] = (work) =>
      store.read((executor) => {
        const all: typeof executor.all = (...asked) => {
          cost.statements += 1;
          return executor.all(...asked);
        };
        return work(Object.assign(Object.create(executor) as typeof executor, { all }));
      });
    const context = {
      store: { read: counted },
      seal: {
        ...seal,
        open: (...given: Parameters<typeof seal.open>) => {
          cost.opened += 1;
          return seal.open(...given);
        },
        matches: () => {
          cost.macs += 1;
          return false;
        },
      },
      signIn: {
        passwords: { requireRoom: () => undefined, verify: () => Promise.resolve(false) },
        guesses: { attempt: (_guess: unknown, check: () => Promise<unknown>) => check() },
        failed: () => undefined,
      },
      asker: { address: '192.0.2.7' },
      cookie: { read: () => undefined },
    } as unknown as PersonContext;
    const body = { username, password: 'wrong' };
    await assert.rejects(signInHandlers.signInWithPassword({ body } as never, context), /is wrong/);
    return cost;
  });
}

it('a name that no person has costs what one with many factors does, but for the one secret that is compared', async () => {
  const { id, username } = await makers(service).person();
  const visitor = new Visitor(service);
  await visitor.enrol(id);
  await visitor.addTotp(longPassword);
  const [known, unknown] = [await costOf(username), await costOf('nobody')];
  assert.ok(known.statements > 0);
  assert.deepEqual(known, { ...unknown, opened: 1 });
});
