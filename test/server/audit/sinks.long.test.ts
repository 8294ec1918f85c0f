import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTls } from 'node:tls';
import { compareAudit, listAudit, resumeAudit, startService } from '@rolecall/server';
import { Delivery } from '../../../server/audit/delivery.ts';
import { parseAuditSinks } from '../../../server/audit/sink.ts';
import { makeCertificates, trust } from '../../support/databases/certificates.ts';
import { makers } from '../support/make.ts';
import { metricsOf, valueOf } from '../support/metrics.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { askStore } from '../support/stores.ts';

interface Line {
  seq: number;
  hash: string;
}

const { authority, certificate: cert, key } = makeCertificates();
trust(authority);

async function listen(server: Server, port = 0): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket.on('close', () => open.delete(socket))));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Waits for something; a test that waits in vain fails by its time-out. */
async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await reached())) await sleep(20);
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
const seqs = (lines: readonly Line[]) => lines.map(({ seq }) => seq);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** Reads frames of RFC 6587 by their octet counts. */
function framesOf(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(' ', at);
    const end = blank + 1 + Number(bytes.toString('ascii', at, blank));
    frames.push(bytes.toString('utf8', blank + 1, end));
    at = end;
  }
  return frames;
}

const messagesOf = (bytes: Buffer) =>
  framesOf(bytes).map((frame) => {
    const match = /^<109>1 (\S+Z) \S+ rolecall - (\S{1,32}) - (\{.*\})$/s.exec(frame);
    assert.ok(match, frame);
    return JSON.parse(String(match[3])) as Line;
  });

const read = (file: string): string => (statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8') : '');

describe('a sink', () => {
  it('that is a file has every entry as it is in the chain, in order, and goes on after a restart', async () => {
    const file = path.join(await temporaryFolder(), 'audit.ndjson');
    const service = await startTestService({ auditSinks: [`file:${file}`] });
    for (let count = 0; count < 5; count += 1) await makers(service).role(`é${count}`);
    await until(() => linesOf(read(file)).length === 9);
    assert.deepEqual(linesOf(read(file)), await listAudit({ ...service.store, query: { limit: 100 } }));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await service.close();
    const [lease] = await askStore(service.store, 'select lease_until from audit_sink');
    assert.equal(lease?.['lease_until'], '', 'no other replica waits for a process that has nothing to deliver');
    // A process that was killed while it wrote.
    appendFileSync(file, '{"seq":10,"half');
    const again = await startTestService({ ...service.store, auditSinks: [`file:${file}`] });
    await until(() => read(file).includes('"seq":12,'));
    const lines = read(file)
      .split('\n')
      .filter((line) => line !== '{"seq":10,"half');
    assert.deepEqual(seqs(linesOf(lines.join('\n'))), upTo(12));
    await again.close();
  });

  it('is given again what was not known to be delivered: killed between delivery and cursor', async () => {
    const file = path.join(await temporaryFolder(), 'audit.ndjson');
    const service = await startTestService({ auditSinks: [`file:${file}`] });
    await until(() => linesOf(read(file)).length === 4);
    await until(async () => Number((await askStore(service.store, 'select seq from audit_sink'))[0]?.['seq']) === 4);
    await service.close();
    const first = linesOf(read(file))[0]?.hash ?? '';
    // As the store is when the process died before it could write the cursor, its lease still running in the embedded store.
    await askStore(service.store, "update audit_sink set seq = 1, hash = $1, owner = 'dead', lease_until = ''", [
      first,
    ]);
    const again = await startService({ ...service.store, auditSinks: [`file:${file}`] });
    await until(() => linesOf(read(file)).length === 7);
    await again.close();
    assert.deepEqual(seqs(linesOf(read(file))), [1, 2, 3, 4, 2, 3, 4]);
  });

  it('proves later that the store was rewritten, even with its key', async () => {
    const file = path.join(await temporaryFolder(), 'audit.ndjson');
    const service = await startTestService({ auditSinks: [`file:${file}`] });
    await until(() => linesOf(read(file)).length === 4);
    await service.close();
    const compare = () => compareAudit({ ...service.store, file });
    assert.deepEqual(await compare(), { same: 4, unreadable: 0 });
    await writeFile(file, read(file).trimEnd().replace(/^/gm, '<109>1 2026-01-01T00:00:00.000Z host rolecall - x - '));
    appendFileSync(file, '\n{"seq":5,"ha');
    assert.deepEqual(await compare(), { same: 4, unreadable: 1 });
    await askStore(
      service.store,
      "update audit_entry set content = replace(content, 'keys create', 'keys revoke') where seq = 2",
    );
    const { different } = await compare();
    assert.deepEqual(different, { line: 2, problem: 'entry 2 is another one in the store' });
    await askStore(service.store, 'delete from audit_entry where seq >= 1');
    assert.deepEqual((await compare()).different, { line: 1, problem: 'entry 1 is not in the store' });
  });

  for (const scheme of ['syslog', 'syslog+tcp'] as const) {
    it(`of ${scheme} gets RFC 5424 with counted octets`, async () => {
      const got: Buffer[] = [];
      const take = (socket: Socket) => void socket.on('data', (chunk: Buffer) => got.push(chunk));
      const port = await listen(scheme === 'syslog' ? createTls({ cert, key }, take) : createTcp(take));
      const host = scheme === 'syslog' ? 'localhost' : '127.0.0.1';
      const service = await startTestService({ auditSinks: [`${scheme}://${host}:${port}`] });
      await makers(service).role('naïve role');
      await until(() => got.length > 0 && seqs(messagesOf(Buffer.concat(got))).at(-1) === 5);
      assert.deepEqual(messagesOf(Buffer.concat(got)), await listAudit({ ...service.store, query: { limit: 100 } }));
      await service.close();
    });
  }

  it('of HTTPS gets lines of JSON with the authorization, and again what it did not take', async () => {
    const file = path.join(await temporaryFolder(), 'authorization');
    await writeFile(file, 'Splunk t0p-s3cret\n');
    const logged: string[] = [];
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        logged.push(String(chunk));
        done();
      },
    });
    const got: Line[] = [];
    const seen = new Set<string>();
    let refusals = 2;
    const receiver = createHttps({ cert, key }, (request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      request.on('end', () => {
        seen.add(
          `${request.method} ${request.url} ${request.headers.authorization} ${request.headers['content-type']}`,
        );
        refusals -= 1;
        if (refusals < 0) got.push(...linesOf(text));
        // A redirect must not take the entries, nor the authorization, elsewhere.
        response.writeHead(refusals < 0 ? 200 : 307, { location: 'https://localhost:1/' }).end();
      });
    });
    const port = await listen(receiver);
    const service = await startTestService({
      auditSinks: [`https://localhost:${port}/in?token=qu3ry-token`],
      auditSinkAuthorizationFile: file,
      logger: { level: 'trace', stream },
      metricsListener: { host: '127.0.0.1', port: 0 },
    });
    await until(
      async () =>
        valueOf(await metricsOf(service), `rolecall_audit_sink_failing{sink="https://localhost:${port}"}`) === 1,
    );
    await until(() => got.length === 4);
    assert.deepEqual(seqs(got), [1, 2, 3, 4]);
    assert.deepEqual([...seen], ['POST /in?token=qu3ry-token Splunk t0p-s3cret application/x-ndjson']);
    await until(() => logged.some((line) => line.includes('is delivered again')));
    assert.equal(logged.filter((line) => line.includes('cannot be delivered')).length, 1);
    await until(
      async () =>
        valueOf(await metricsOf(service), `rolecall_audit_sink_lag_entries{sink="https://localhost:${port}"}`) === 0,
    );
    const names = JSON.stringify(await askStore(service.store, 'select name from audit_sink'));
    const everything = logged.join('') + names + (await metricsOf(service));
    for (const secret of ['t0p-s3cret', 'qu3ry-token']) assert.ok(!everything.includes(secret));
    await service.close();
  });

  it('with an unknown certificate, or one for another name, gets nothing', async () => {
    let requests = 0;
    const port = await listen(createHttps({ cert, key }, () => (requests += 1)));
    const service = await startTestService({
      auditSinks: [`https://127.0.0.1:${port}/`],
      metricsListener: { host: '127.0.0.1', port: 0 },
    });
    await until(
      async () =>
        valueOf(await metricsOf(service), `rolecall_audit_sink_failing{sink="https://127.0.0.1:${port}"}`) === 1,
    );
    assert.equal(requests, 0);
    await service.close();
  });

  it('that never answers keeps no request and no end of the service waiting', async () => {
    const sockets: Socket[] = [];
    const port = await listen(createTcp((socket) => sockets.push(socket)));
    const service = await startTestService({
      auditSinks: [`https://localhost:${port}/`, `syslog+tcp://127.0.0.1:${port}`],
    });
    await until(() => sockets.length >= 2);
    const begun = performance.now();
    for (let count = 0; count < 20; count += 1) await makers(service).role();
    await service.close();
    assert.ok(performance.now() - begun < 10_000);
  });

  it('gets nothing more of a trail that was rewritten behind it', async () => {
    const file = path.join(await temporaryFolder(), 'audit.ndjson');
    const service = await startTestService({
      auditSinks: [`file:${file}`],
      metricsListener: { host: '127.0.0.1', port: 0 },
    });
    await until(async () => Number((await askStore(service.store, 'select seq from audit_sink'))[0]?.['seq']) === 4);
    await askStore(service.store, "update audit_entry set hash = 'forged' where seq = 4");
    await makers(service)
      .role()
      .catch(() => undefined);
    await until(async () => {
      const [head] = await askStore(service.store, 'select seq from audit_head');
      return (
        Number(head?.['seq']) === 4 ||
        valueOf(await metricsOf(service), `rolecall_audit_sink_failing{sink="file:${file}"}`) === 1
      );
    });
    assert.equal(linesOf(read(file)).length, 4);
    await service.close();
  });

  it('that is told to stop before it is connected does not wait for a receiver that never answers', async () => {
    const port = await listen(createTcp({ allowHalfOpen: true }, () => undefined));
    const [sink] = parseAuditSinks([`syslog+tcp://127.0.0.1:${port}`], {});
    await assert.rejects(sink?.deliver([], AbortSignal.abort()) ?? Promise.resolve(), /in time/);
  });

  it('is reported once, however often the store cannot be read', async () => {
    let reads = 0;
    const reported: unknown[] = [];
    const read = (): never => {
      reads += 1;
      throw new Error('away');
    };
    const [sink] = parseAuditSinks(['file:/nowhere'], {});
    assert.ok(sink !== undefined);
    const delivery = new Delivery(sink, {
      store: { read, snapshot: read, write: read, replicas: undefined, close: () => Promise.resolve() },
      failed: (...report) => reported.push(report),
      recovered: () => assert.fail(),
    });
    await until(() => reads >= 3);
    await delivery.stop();
    assert.equal(reported.length, 1);
    assert.equal(delivery.state.failing, true);
  });

  it('goes on after a trail that was rewritten is resumed', async () => {
    const file = path.join(await temporaryFolder(), 'audit.ndjson');
    const options = { auditSinks: [`file:${file}`] };
    const service = await startTestService(options);
    await until(async () => Number((await askStore(service.store, 'select seq from audit_sink'))[0]?.['seq']) === 4);
    await service.close();
    await askStore(service.store, "update audit_entry set hash = 'forged' where seq = 3");
    await askStore(service.store, 'delete from audit_entry where seq = 4');
    await resumeAudit({ ...service.store, reason: 'a test' });
    const again = await startService({ ...service.store, ...options });
    await until(() => linesOf(read(file)).length === 5);
    await again.close();
    const last = linesOf(read(file)).at(-1);
    assert.deepEqual(seqs(linesOf(read(file))), [1, 2, 3, 4, 4]);
    assert.match(JSON.stringify(last), /audit resume/);
  });

  it('that is written wrongly keeps the service from starting, and no secret is repeated', async () => {
    const { store } = await startTestService();
    for (const [sinks, message] of [
      [['file:relative'], /absolute path/],
      [['ftp://host/'], /must begin with/],
      [['https://u:pl4nted@host/'], /user or password/],
      [['syslog://host/pl4nted'], /more than a host/],
      [['pl4nted'], /neither/],
      [['https://a/', 'https://b/'], /one HTTPS/],
      [['file:/a', 'file:/a'], /twice/],
    ] as const) {
      await assert.rejects(startService({ ...store, auditSinks: sinks }), (error: Error) => {
        assert.match(error.message, message);
        assert.ok(!error.message.includes('pl4nted'));
        return true;
      });
    }
  });
});
