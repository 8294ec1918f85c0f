import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { createGuard } from '../../../server/databases/guard/index.ts';
import { type TestOutcome, testConnection } from '../../../server/databases/index.ts';
import { capability } from '../../../server/protocols/mysql/capabilities.ts';
import { authSwitch, greeting } from '../../../server/protocols/mysql/startup.ts';
import { authentication } from '../../../server/protocols/postgresql/authentication.ts';
import { type Certificates, makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { packet } from '../support/wire.ts';

const password = 'told-to-nobody';

/** An address of this machine that is not loopback, as that of a server elsewhere. */
const elsewhere = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const asks = (kind: number, ...more: number[]) => authentication.encode(kind, Buffer.from(more));

/** MySQL's greeting. @param tls whether TLS is offered */
function greetingOf(tls: boolean): Buffer {
  const { mysql, protocol41, secureConnection, pluginAuth, tls: offersTls } = capability;
  return greeting.encode({
    version: '8.4.0',
    connectionId: 1,
    nonce: Buffer.from('a'.repeat(8) + 'b'.repeat(12)),
    capabilities: mysql | protocol41 | secureConnection | pluginAuth | (tls ? offersTls : 0),
    plugin: 'caching_sha2_password',
  });
}

/** A server that asks for the password itself, and keeps all that it is sent. */
interface Fake {
  readonly port: number;
  told: () => string;
  close: () => void;
}

async function fake(host: string, serve: (socket: Socket, take: (chunk: Buffer) => void) => void): Promise<Fake> {
  let told = '';
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket, (chunk) => {
      told += chunk.toString('latin1');
    });
  }).listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    told: () => told,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a server that asks for the password itself', requires('openssl'), () => {
  let certificates: Certificates;
  before(() => {
    certificates = makeCertificates();
  });
  const fakes: Fake[] = [];
  after(() => {
    for (const one of fakes) one.close();
  });

  const secured = (socket: Socket): TLSSocket => {
    const secureContext = createSecureContext({ cert: certificates.certificate, key: certificates.key });
    return new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => undefined);
  };

  /** PostgreSQL's: first it asks for a hash of the password where that is to hide what follows. */
  const postgresql =
    (tls: boolean, first: Buffer[] = []) =>
    (socket: Socket, take: (chunk: Buffer) => void) => {
      const ask = (stream: Socket): void => {
        stream.once('data', () => {
          stream.on('data', take);
          stream.write(Buffer.concat([...first, asks(3)]));
        });
      };
      socket.once('data', (chunk) => {
        // Without the question for TLS this is the log-in.
        if (chunk.length > 8) {
          socket.on('data', take).write(Buffer.concat([...first, asks(3)]));
          return;
        }
        socket.write(tls ? 'S' : 'N');
        ask(tls ? secured(socket) : socket);
      });
    };

  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  /** MySQL's: it does not remember the user, and sends a key of its own to encrypt the password with. */
  const mysql = (tls: boolean) => (socket: Socket, take: (chunk: Buffer) => void) => {
    const login = (stream: Socket): void => {
      stream.once('data', (chunk: Buffer) => {
        const sequence = (chunk[3] ?? 0) + 1;
        stream.on('data', (more: Buffer) => {
          take(more);
          if (more.length === 5) {
            const pem = keys.publicKey.export({ type: 'spki', format: 'pem' });
            stream.write(packet((more[3] ?? 0) + 1, '\x01', Buffer.from(pem)));
          } else if (more.length === 36) stream.write(packet((more[3] ?? 0) + 1, '\x01\x04'));
          else if (more.length > 250) take(decrypted(more.subarray(4)));
        });
        stream.write(authSwitch.encode(sequence, Buffer.from('c'.repeat(20)), 'caching_sha2_password'));
      });
    };
    socket.write(greetingOf(tls));
    if (!tls) login(socket);
    else {
      socket.once('data', (chunk: Buffer) => {
        // The request for TLS has 36 bytes; the handshake may have come with it.
        socket.pause();
        if (chunk.length > 36) socket.unshift(chunk.subarray(36));
        login(secured(socket));
      });
    }
  };
  const decrypted = (bytes: Buffer): Buffer => {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const plain = privateDecrypt({ key: keys.privateKey, padding }, bytes);
    const scramble = Buffer.from('c'.repeat(20));
    return Buffer.from(plain.map((byte, index) => byte ^ (scramble[index % 20] ?? 0)));
  };

  const kinds = [
    ['postgresql', 'sslmode', 'disable', 'require', 'prefer', postgresql],
    ['mysql', 'ssl-mode', 'disabled', 'required', 'preferred', mysql],
  ] as const;

  async function attempt(
    scheme: string,
    host: string,
    one: Fake,
    words: string,
    signal = new AbortController().signal,
  ): Promise<TestOutcome> {
    const guard = createGuard({ networks: { allowed: ['127.0.0.0/8'] } });
    return testConnection(`${scheme}://ada:${password}@${host}:${one.port}/x${words}`, { guard, signal });
  }

  /** The server answers nothing once it was told the password, so the attempt is given up then. */
  async function isTold(scheme: string, host: string, one: Fake, words: string): Promise<void> {
    const enough = new AbortController();
    const attempted = attempt(scheme, host, one, words, enough.signal);
    const limit = Date.now() + 9000;
    while (!one.told().includes(password) && Date.now() < limit) await setTimeout(5);
    enough.abort();
    await attempted.catch(() => undefined);
    assert.match(one.told(), new RegExp(password));
  }

  for (const [scheme, name, none, unchecked, tried, serve] of kinds) {
    for (const tls of [true, false]) {
      const how = `${scheme} ${tls ? 'with a key of its own' : 'that strips TLS'}`;
      it(`is not told it by default: ${how}`, { skip: elsewhere === undefined }, async () => {
        for (const words of ['', `?${name}=${tried}`]) {
          const one = await fake(elsewhere ?? '', serve(tls));
          fakes.push(one);
          const outcome = await attempt(scheme, elsewhere ?? '', one, words);
          assert.ok(
            !outcome.success && outcome.message.includes('asks for the password itself'),
            JSON.stringify(outcome),
          );
          assert.match(outcome.message, tls ? /unchecked key/ : /not encrypted/);
          assert.doesNotMatch(one.told(), new RegExp(password));
        }
      });

      it(`is told it where the URI says so: ${how}`, { skip: elsewhere === undefined }, async () => {
        const one = await fake(elsewhere ?? '', serve(tls));
        fakes.push(one);
        await isTold(scheme, elsewhere ?? '', one, `?${name}=${tls ? unchecked : none}`);
      });
    }

    it(`is told it on this machine: ${scheme}`, async () => {
      const one = await fake('127.0.0.1', serve(false));
      fakes.push(one);
      await isTold(scheme, '127.0.0.1', one, '');
    });

    it(`is refused where TLS was demanded and is stripped: ${scheme}`, { skip: elsewhere === undefined }, async () => {
      const one = await fake(elsewhere ?? '', serve(false));
      fakes.push(one);
      const outcome = await attempt(scheme, elsewhere ?? '', one, `?${name}=${unchecked}`);
      assert.match(outcome.success ? '' : outcome.message, /does not support/);
      assert.doesNotMatch(one.told(), new RegExp(password));
    });
  }

  it('is not told it when it asks for a hash before', { skip: elsewhere === undefined }, async () => {
    for (const first of [[asks(5, 1, 2, 3, 4)], [asks(5, 1, 2, 3, 4), asks(5, 1, 2, 3, 4)]]) {
      const one = await fake(elsewhere ?? '', postgresql(false, first));
      fakes.push(one);
      assert.equal((await attempt('postgresql', elsewhere ?? '', one, '')).success, false);
      assert.doesNotMatch(one.told(), new RegExp(password));
    }
  });

  it('cannot put words into what TLS protects', async () => {
    const one = await fake('127.0.0.1', (socket) => {
      socket.once('data', () => socket.write(Buffer.concat([Buffer.from('S'), asks(0)])));
    });
    fakes.push(one);
    const outcome = await attempt('postgresql', '127.0.0.1', one, '');
    assert.match(outcome.success ? '' : outcome.message, /the request for TLS/);
  });
});
