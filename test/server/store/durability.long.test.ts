import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createKey } from '@rolecall/server';
import { startChildService } from '../support/child.ts';
import { basic, startTestService } from '../support/service.ts';
import { newStore } from '../support/stores.ts';

describe('a service that is killed', () => {
  it('has everything that it had acknowledged, when it is started again on the same store', async () => {
    const store = await newStore();
    const key = await createKey({ ...store, scope: 'admin' });
    const acknowledged: string[] = [];
    for (let life = 0; life < 3; life += 1) {
      const child = await startChildService(store);
      const clients = Array.from({ length: 16 }, (_, client) =>
        create(child.url, key, `${life}-${client}`, acknowledged),
      );
      const enough = acknowledged.length + 40;
      while (acknowledged.length < enough && child.process.exitCode === null) await setTimeout(10);
      assert.equal(await child.end('SIGKILL'), 'SIGKILL');
      await Promise.all(clients);
    }
    assert.ok(acknowledged.length > 100, `only ${acknowledged.length} were acknowledged`);
    const service = await startTestService(store);
    const people = await service.ok<{ username: string }[]>('GET', '/person');
    const there = new Set(people.map(({ username }) => username));
    assert.deepEqual(
      acknowledged.filter((username) => !there.has(username)),
      [],
    );
  });
});

/** Creates people one after the other until the service is gone; notes each that was acknowledged. */
async function create(
  url: string,
  key: { id: string; secret: string },
  client: string,
  acknowledged: string[],
): Promise<void> {
  for (let count = 0; ; count += 1) {
    const username = `${client}-${count}`;
    try {
      const answer = await fetch(`${url}/api/v2/person`, {
        method: 'POST',
        headers: { authorization: basic(key), 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'x', username, email: `${username}@example.com` }),
      });
      await answer.text();
      if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    } catch {
      return;
    }
    acknowledged.push(username);
  }
}
