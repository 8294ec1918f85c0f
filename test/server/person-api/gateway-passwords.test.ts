import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

describe('a password for the gateway', () => {
  it('is refused in words where its session ends in the same moment', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    await make.permission(source.id, person.id, {
      duration: '600',
      startsAt: new Date(Date.now() - 60_000).toISOString(),
    });
    const statuses = new Set<number>();
    for (let round = 0; round < 10; round += 1) {
      const { call, session } = await signedIn(service, person.id);
      const asked = Array.from({ length: 4 }, () =>
        call('POST', `/data-source/${source.id}/gateway-password`, { json: {} }),
      );
      const ended = call('DELETE', `/session/${session}`);
      for (const { status } of await Promise.all(asked)) statuses.add(status);
      assert.equal((await ended).status, 200);
    }
    for (const status of statuses) assert.ok([200, 401].includes(status), String(status));
    assert.ok(statuses.has(401), 'no session ended in time');
  });
});
