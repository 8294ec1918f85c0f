import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withData } from '../../../server/data/open-data.ts';
import { deleteGatewaySessions, insertGatewaySessions } from '../../../server/store/gateway-session.ts';
import { startTestService } from '../support/service.ts';
import { askStore } from '../support/stores.ts';

const service = await startTestService();

describe('a change for each of many rows', () => {
  it('changes exactly these, however many there are, each with its own values', async () => {
    for (const count of [0, 1, 2, 3, 7, 8, 9, 15, 23]) {
      const rows = Array.from({ length: count }, (_, at) => ({
        ...{ id: `row${count}_${at}`, process: `each${count}`, person: `person${at}`, dataSource: 'source' },
        ...{ protocol: 'postgresql' as const, address: `address${at}`, client: '', startedAt: `${at}` },
        atServer: at % 2 === 0 ? null : `server${at}`,
      }));
      await withData(service.store, ({ store }) =>
        store.write([], (executor) => insertGatewaySessions(executor, rows)),
      );
      const stored = () =>
        askStore(
          service.store,
          'select id, address, at_server from gateway_session where process_id = $1 order by id',
          [`each${count}`],
        );
      const wanted = rows.map(({ id, address, atServer }) => ({ id, address, at_server: atServer }));
      const byId = wanted.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      assert.deepEqual(
        (await stored()).map((row) => ({ ...row })),
        byId,
      );
      const kept = byId.slice(0, 1);
      await withData(service.store, ({ store }) =>
        store.write([], (executor) => deleteGatewaySessions(executor, byId.slice(1))),
      );
      assert.deepEqual(
        (await stored()).map(({ id }) => id),
        kept.map(({ id }) => id),
      );
    }
  });
});
