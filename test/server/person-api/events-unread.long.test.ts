import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { withData } from '../../../server/data/open-data.ts';
import { freePort } from '../../support/free-port.ts';
import { startNginx } from '../../support/nginx.ts';
import { openEvents } from '../support/events.ts';
import { makers } from '../support/make.ts';
import { metricsOf, valueOf } from '../support/metrics.ts';
import { signedIn } from '../support/person.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { until } from './in-editor.ts';

describe('the stream of events', () => {
  it('is closed where the client does not read', async () => {
    const limited = await startTestService({
      limits: { unreadMs: 400 },
      metricsListener: { host: '127.0.0.1', port: 0 },
    });
    const own = makers(limited);
    const [ada, source] = [await own.person(), await own.dataSource()];
    const id = `e${ada.id}`;
    const at = new Date().toISOString();
    await withData(limited.store, ({ store }) =>
      store.write(['editor_message'], async ({ db }) => {
        const editor = { id, person_id: ada.id, data_source_id: source.id, created_at: at, updated_at: at };
        await db.insertInto('editor').values(editor).execute();
        const message = { editor_id: id, title: 'long', message: '€'.repeat(10_000), created_at: at };
        for (let count = 0; count < 600; count += 1) {
          await db
            .insertInto('editor_message')
            .values({ ...message, id: `m${count}` })
            .execute();
        }
      }),
    );
    const { token } = await signedIn(limited, ada.id);
    const socket = connect(Number(new URL(limited.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET /person/v1/events HTTP/1.1\r\nhost: x\r\ncookie: rolecall=${token}\r\n\r\n`);
    await once(socket, 'readable');
    socket.pause();
    await until(async () => valueOf(await metricsOf(limited), 'rolecall_event_streams') === 0);
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
    assert.ok(socket.bytesRead < 600 * 30_000);
  });

  it('comes through nginx as it is sent', async () => {
    const service = await startTestService();
    const make = makers(service);
    const port = await freePort();
    const proxy = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${service.url}; proxy_http_version 1.1; } }`;
    const url = `http://127.0.0.1:${port}`;
    await using _nginx = await startNginx(
      await temporaryFolder(),
      proxy,
      async () => (await fetch(`${url}/healthz`)).ok,
    );
    const [ada, source] = [await make.person(), await make.dataSource()];
    const { token } = await signedIn(service, ada.id);
    await using events = await openEvents(url, token);
    await make.permission(source.id, ada.id);
    await events.next('access', ({ allowed }) => allowed);
  });
});
