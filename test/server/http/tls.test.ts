import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type PeerCertificate } from 'node:tls';
import { createClient, NetworkError } from '@rolecall/api';
import { startService, TlsError } from '@rolecall/server';
import { timeLimits } from '../../../server/http/limits/limits.ts';
import { makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { metricsOf } from '../support/metrics.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

describe('a service that speaks TLS', requires('openssl'), async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const [first, second] = [makeCertificates(), makeCertificates()];
  const folder = await temporaryFolder();
  mount('..1', first.certificate, first.key);
  for (const name of ['tls.crt', 'tls.key']) symlinkSync(`..data/${name}`, path.join(folder, name));
  const service = await startTestService({
    host: 'localhost',
    tls: { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key') },
    logger: { level: 'info', stream },
    metricsListener: { host: '127.0.0.1', port: 0 },
  });
  const port = Number(new URL(service.url).port);

  /** As Kubernetes mounts a secret: the files are links through a link to a folder, which is what changes. */
  function mount(name: string, cert: string, key: string): void {
    const version = path.join(folder, name);
    mkdirSync(version);
    writeFileSync(path.join(version, 'tls.crt'), cert);
    writeFileSync(path.join(version, 'tls.key'), key);
    symlinkSync(name, path.join(folder, '..data_tmp'));
    renameSync(path.join(folder, '..data_tmp'), path.join(folder, '..data'));
  }

  const client = (ca: string) =>
    createClient({
      url: `https://localhost:${port}`,
      keyId: service.keys.admin.id,
      keySecret: service.keys.admin.secret,
      ca,
      retries: { attempts: 1 },
    });

  async function people(ca: string): Promise<number> {
    const one = client(ca);
    try {
      return (await one.call('listPeople', {})).length;
    } finally {
      await one.close();
    }
  }

  it('says https in its URL, and is reached only by clients that trust its authority', async () => {
    assert.match(service.url, /^https:\/\//);
    assert.equal(await people(first.authority), 0);
    await assert.rejects(people(second.authority), (error) => error instanceof NetworkError);
  });

  it('speaks TLS 1.2 and 1.3, and nothing older', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      assert.equal((await handshake(port, { minVersion: version, maxVersion: version })).protocol, version);
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await assert.rejects(handshake(port, old), /alert|version/i);
  });

  it('has no suites without forward secrecy, and none with CBC', async () => {
    for (const ciphers of ['AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA']) {
      await assert.rejects(
        handshake(port, { maxVersion: 'TLSv1.2', ciphers: `${ciphers}@SECLEVEL=0` }),
        /alert/i,
        ciphers,
      );
    }
    for (const ciphers of ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305']) {
      assert.equal((await handshake(port, { maxVersion: 'TLSv1.2', ciphers })).protocol, 'TLSv1.2');
    }
  });

  it('keeps its certificate while the files are broken, and says so once', async () => {
    const serves = (await handshake(port)).certificate.fingerprint256;
    mount('..2', second.certificate, first.key);
    await service.reloadTls();
    assert.equal((await handshake(port)).certificate.fingerprint256, serves);
    mount('..3', 'nonsense', second.key);
    await service.reloadTls();
    assert.equal((await handshake(port)).certificate.fingerprint256, serves);
    assert.equal(await people(first.authority), 0);
    const errors = lines.filter((line) => line.includes('the one before is served on'));
    assert.match(errors[0] ?? '', /tls\.key is not the key of the first certificate in .*tls\.crt/);
    assert.match(errors[1] ?? '', /tls\.crt holds no certificate in PEM/);
    const page = await metricsOf(service);
    assert.match(page, /^rolecall_tls_reload_failures_total 2$/m);
  });

  it('serves a new certificate without a restart, and lets connections that are open live', async () => {
    const open = client(first.authority);
    await open.call('listPeople', {});
    mount('..4', second.certificate, second.key);
    await service.reloadTls();
    assert.equal(await people(second.authority), 0);
    await assert.rejects(people(first.authority), (error) => error instanceof NetworkError);
    assert.equal((await open.call('listPeople', {})).length, 0);
    await open.close();
    assert.ok(lines.some((line) => line.includes('the certificate was read anew')));
  });

  it('finds a changed certificate by itself', async () => {
    mount('..5', first.certificate, first.key);
    const expected = new X509Certificate(first.certificate).fingerprint256;
    const end = Date.now() + 60_000;
    while ((await handshake(port)).certificate.fingerprint256 !== expected) {
      assert.ok(Date.now() < end, 'the certificate was not read anew within a minute');
      await new Promise((resume) => setTimeout(resume, 100));
    }
  });

  it('tells when its certificate expires', async () => {
    const page = await metricsOf(service);
    const seconds = Number(/^rolecall_tls_certificate_expiry_timestamp_seconds (\d+)$/m.exec(page)?.[1]);
    assert.ok(seconds * 1000 > Date.now() && seconds * 1000 < Date.now() + 3 * 86_400_000, String(seconds));
  });

  it('closes a connection that speaks plain HTTP, and lives on', async () => {
    await assert.rejects(fetch(`http://localhost:${port}/healthz`));
    assert.equal(await people(first.authority), 0);
  });

  it('closes connections whose handshake is not finished in time', async () => {
    const { handshake: usual } = timeLimits;
    timeLimits.handshake = 200;
    const limited = await startTestService({
      host: 'localhost',
      tls: { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key') },
      limits: { maxConnections: 3 },
    });
    timeLimits.handshake = usual;
    const where = Number(new URL(limited.url).port);
    // What a client that has gone without a word leaves: it never answers, and never says that it is gone.
    const silent = [Buffer.alloc(0), Buffer.from('160301', 'hex'), Buffer.from([22, 3, 1, 0, 200, 1])].map((bytes) => {
      const socket = connectPlain({ port: where, host: 'localhost', allowHalfOpen: true });
      socket.on('error', () => undefined).write(bytes);
      return new Promise((resolve) => socket.once('close', resolve).once('end', resolve));
    });
    await Promise.all(silent);
    while ((await handshake(where).catch(() => undefined)) === undefined) await sleep(20);
  });

  it('does not start with a pair that is broken, and names the file', async () => {
    const good = { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key') };
    const file = (name: string, text: string) => {
      writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    for (const [files, code, message] of [
      [{ ...good, certFile: '/nowhere.crt' }, 'ERR_TLS_CERTIFICATE', /^\/nowhere\.crt cannot be read: ENOENT$/],
      [{ ...good, keyFile: folder }, 'ERR_TLS_KEY', /cannot be read: EISDIR$/],
      [{ ...good, certFile: good.keyFile }, 'ERR_TLS_CERTIFICATE', /tls\.key holds no certificate in PEM$/],
      [{ ...good, keyFile: good.certFile }, 'ERR_TLS_KEY', /tls\.crt holds no private key in PEM/],
      [{ ...good, keyFile: file('other.key', second.key) }, 'ERR_TLS_KEY', /other\.key is not the key of .*tls\.crt$/],
      [{ ...good, certFile: file('empty', '') }, 'ERR_TLS_CERTIFICATE', /empty holds no certificate/],
    ] as const) {
      const dataDir = await temporaryFolder();
      await assert.rejects(startService({ dataDir, environment: {}, tls: files }), (error) => {
        assert.ok(error instanceof TlsError, String(error));
        assert.equal(error.code, code);
        assert.match(error.message, message);
        assert.ok(!error.message.includes(readFileSync(good.keyFile, 'utf8').slice(40, 80)));
        return true;
      });
    }
  });
});

async function handshake(
  port: number,
  options: object = {},
): Promise<{ protocol: string | null; certificate: PeerCertificate }> {
  const socket = connect({ port, host: 'localhost', servername: 'localhost', rejectUnauthorized: false, ...options });
  try {
    await once(socket, 'secureConnect');
    return { protocol: socket.getProtocol(), certificate: socket.getPeerCertificate() };
  } finally {
    socket.destroy();
  }
}
