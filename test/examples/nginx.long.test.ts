/** Over the PostgreSQL store only: the embedded one is served by one process. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from '@rolecall/api';
import { root } from '../cli/support/run-command.ts';
import { startTestService } from '../server/support/service.ts';
import { newPostgresStore, temporaryFolder } from '../server/support/stores.ts';
import { requires } from '../support/databases/parts.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx } from '../support/nginx.ts';

const example = readFileSync(path.join(root, 'examples/nginx/rolecall.conf'), 'utf8');

const graceMs = 2_000;

describe('the example for nginx', requires('postgresql', 'nginx', 'openssl'), () => {
  it('spreads requests over the replicas, and loses and doubles none when one of them stops', async () => {
    const store = await newPostgresStore();
    const replicas = [await startTestService(store), await startTestService(store)] as const;
    const folder = await temporaryFolder();
    const certificate = makeCertificate(folder);
    const port = await freePort();
    const text = example
      .replace('127.0.0.1:8480', new URL(replicas[0].url).host)
      .replace('127.0.0.1:8481', new URL(replicas[1].url).host)
      .replace('listen 8443', `listen 127.0.0.1:${port}`)
      .replaceAll('/etc/nginx/tls', folder);
    const { id, secret } = replicas[0].keys.admin;
    const url = `https://localhost:${port}`;
    const client = createClient({ url, keyId: id, keySecret: secret, ca: certificate });
    try {
      await using _nginx = await startNginx(folder, text, async () =>
        Array.isArray(await client.call('listPeople', {})),
      );
      const create = (index: number) =>
        client.call('createPerson', {
          body: { name: 'x', username: `p${index}`, email: `p${index}@example.com` },
        });
      for (let index = 0; index < 10; index += 1) await create(index);
      const [one, other] = await Promise.all(replicas.map(requestsOf));
      assert.ok((one ?? 0) >= 5 && (other ?? 0) >= 5, `${one} and ${other} requests`);

      // As the command does when it is told to end, and for longer: requests are on their way for longer on a busy machine.
      const closing = replicas[1].close(graceMs);
      for (let index = 10; index < 60; index += 1) {
        await create(index);
        assert.equal((await client.call('listPeople', {})).length, index + 1);
      }
      await closing;
    } finally {
      await client.close();
    }
  });
});

/** How many requests of this API a replica has answered, as its metrics say. */
async function requestsOf({ url, keys }: Awaited<ReturnType<typeof startTestService>>): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${keys.read.id}@api:${keys.read.secret}`).toString('base64')}`;
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text();
  const counts = [...text.matchAll(/^\w*requests_total\{.*operation="createPerson".*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

function makeCertificate(folder: string): string {
  const [key, certificate] = [path.join(folder, 'rolecall.key'), path.join(folder, 'rolecall.crt')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const args = ['req', '-x509', '-nodes', '-days', '1', ...curve, '-keyout', key, '-out', certificate, ...names];
  execFileSync('openssl', args, { stdio: 'ignore' });
  return readFileSync(certificate, 'utf8');
}
