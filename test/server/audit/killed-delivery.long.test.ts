/** Over either store by name: kills services between a delivery and the cursor that records it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, listAudit } from '@rolecall/server';
import { makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { listenOn } from '../../support/relay.ts';
import { type ChildService, startChildService } from '../support/child.ts';
import { basic } from '../support/service.ts';
import { newPostgresStore, type TestStore, temporaryFolder } from '../support/stores.ts';

const { authority, certificate: cert, key } = makeCertificates();
const authorityFile = path.join(await temporaryFolder(), 'authority.pem');
await writeFile(authorityFile, authority);
// The services of these tests are child processes, which inherit it.
process.env['NODE_EXTRA_CA_CERTS'] = authorityFile;

/** An HTTPS receiver that keeps every batch, and may do something before it answers one. */
class Receiver {
  readonly batches: string[][] = [];
  beforeAnswer: () => Promise<void> = () => Promise.resolve();
  readonly #open = new Set<Socket>();
  readonly #server: Server = createServer({ cert, key }, (request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    request.on('end', () => {
      this.batches.push(text.split('\n').filter((line) => line !== ''));
      void this.beforeAnswer().then(() => response.end());
    });
  });

  async listen(): Promise<string> {
    this.#server.on('connection', (socket: Socket) => this.#open.add(socket));
    const port = await listenOn(this.#server);
    after(() => {
      for (const socket of this.#open) socket.destroy();
      this.#server.close();
    });
    return `https://localhost:${port}/`;
  }

  get lines(): string[] {
    return this.batches.flat();
  }
}

async function addRole(url: string, adminKey: { id: string; secret: string }, name: string): Promise<void> {
  const headers = { authorization: basic(adminKey), 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(`${url}/api/v2/role`, { method: 'POST', headers, body: `name=${name}` });
  assert.equal(answer.status, 200, await answer.text());
}

const seqOf = (line: string): number => (JSON.parse(line) as { seq: number }).seq;

/** At least once, nothing lost, in order within each batch; a repeat is the same line, byte for byte. */
async function assertDelivered(store: TestStore, { batches, lines }: Receiver): Promise<void> {
  const entries = await listAudit({ ...store, query: { limit: 10_000 } });
  const byNumber = new Map(lines.map((line) => [seqOf(line), line]));
  for (const line of lines) assert.equal(line, byNumber.get(seqOf(line)));
  assert.deepEqual(
    [...byNumber.values()].map((line) => JSON.parse(line) as unknown).toSorted((a, b) => seqIn(a) - seqIn(b)),
    entries,
  );
  for (const batch of batches)
    assert.deepEqual(
      batch.map(seqOf),
      batch.map((_, index) => seqOf(batch[0] ?? '') + index),
    );
}

const seqIn = (entry: unknown): number => (entry as { seq: number }).seq;

async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await sleep(20);
}

describe('a service that is killed after its sink has taken a batch and before the store knows', () => {
  it('loses no entry: the next one sends that batch again, line for line', async () => {
    const store = { dataDir: await temporaryFolder(), environment: {} };
    const adminKey = await createKey({ ...store, scope: 'admin' });
    const receiver = new Receiver();
    const options = { dataDir: store.dataDir, auditSinks: [await receiver.listen()] };
    let repeats = 0;
    for (let round = 0; round < 8; round += 1) {
      const service = await startChildService(options);
      const before = receiver.lines.length;
      const killed = Promise.withResolvers<number | string>();
      receiver.beforeAnswer = async () => {
        receiver.beforeAnswer = () => Promise.resolve();
        // It has the whole batch, and the service waits for its answer.
        killed.resolve(await service.end('SIGKILL'));
      };
      const writing = addRole(service.url, adminKey, `round${round}`).catch(() => undefined);
      assert.equal(await killed.promise, 'SIGKILL');
      await writing;
      const again = receiver.lines.slice(before);
      if (again.some((line) => receiver.lines.slice(0, before).includes(line))) repeats += 1;
    }
    assert.equal(repeats, 7, 'each start but the first began with the batch of the one before');
    const last = await startChildService(options);
    await addRole(last.url, adminKey, 'last');
    await until(() => receiver.lines.at(-1)?.includes('"name":"last"') === true);
    await last.end('SIGTERM');
    await assertDelivered(store, receiver);
  });
});

describe('two replicas with the same sink', requires('postgresql'), () => {
  it('deliver every entry once while both live, and one takes over from the other that is killed in a delivery', async () => {
    const store = await newPostgresStore();
    const adminKey = await createKey({ ...store, scope: 'admin' });
    const receiver = new Receiver();
    const options = { ...store, auditSinks: [await receiver.listen()] };
    const start = () => startChildService(options);
    const replicas: ChildService[] = [await start(), await start()];
    const addTo = (from: readonly ChildService[], name: string) =>
      Promise.all(from.map(({ url }, index) => addRole(url, adminKey, `${name}-${index}`)));
    for (let count = 0; count < 30; count += 1) await addTo(replicas, `both${count}`);
    const written = async () => (await listAudit({ ...store, query: { limit: 10_000 } })).length;
    const expected = await written();
    await until(() => receiver.lines.length >= expected);
    assert.deepEqual(
      receiver.lines.map(seqOf),
      Array.from({ length: expected }, (_, index) => index + 1),
    );

    // Which of the two delivers, only a batch that is never answered tells: the other one is killed in vain.
    const [first, second] = replicas as [ChildService, ChildService];
    receiver.beforeAnswer = async () => {
      receiver.beforeAnswer = () => Promise.resolve();
      await first.end('SIGKILL');
    };
    await addTo(replicas, 'last').catch(() => undefined);
    for (let count = 0; count < 10; count += 1) await addTo([second], `after${count}`);
    const all = await written();
    // Within the lease of the one that was killed.
    await until(() => new Set(receiver.lines.map(seqOf)).size >= all);
    await assertDelivered(store, receiver);
    await second.end('SIGTERM');
  });
});
