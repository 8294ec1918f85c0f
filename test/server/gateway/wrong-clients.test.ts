import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { sasl } from '../../../server/protocols/postgresql/authentication.ts';
import { int32, text } from '../../../server/protocols/postgresql/fields.ts';
import { encryptionRequest, framed, protocol3 } from '../../../server/protocols/postgresql/startup.ts';
import { makeCertificates } from '../../support/databases/certificates.ts';
import { requires } from '../../support/databases/parts.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { message, packet, startPacket } from '../support/wire.ts';

const listening = { host: '127.0.0.1', port: 0 };
const ports = { gatewayPostgresql: listening, gatewayMysql: listening };

const startup = (parameters: string): Buffer => startPacket(protocol3, parameters);

const known = startup('user\0ada\0database\0shop\0\0');
const initialResponse = (mechanism: string, response: string, length: number): Buffer =>
  message('p', Buffer.concat([text(mechanism), int32(length), Buffer.from(response)]));
const first = sasl.initialResponse.encode('SCRAM-SHA-256', 'n,,n=,r=abcdefgh');

const postgresql: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  'half of a length': Buffer.from([0, 0]),
  'a length of nothing': Buffer.alloc(4),
  'a length of everything': Buffer.alloc(8, 0xff),
  'an unknown code': framed(Buffer.from('abcd')),
  'a parameter without an end': startup('user\0ada'),
  'no user': startup('database\0shop\0\0'),
  'an unknown parameter': startup('user\0ada\0database\0shop\0x\0y\0\0'),
  'bytes that are no text': startup('user\0\xff\xfe\0\xff\0\0'),
  'a request to cancel that is too short': framed(Buffer.from([4, 210, 22, 46, 0])),
  'two requests for encryption at once': Buffer.concat([
    encryptionRequest.encode('tls'),
    encryptionRequest.encode('tls'),
  ]),
  'TLS that is none': Buffer.from('16030100051234567890', 'hex'),
  'a query in place of a password': Buffer.concat([known, message('Q', 'select 1\0')]),
  'an empty password': Buffer.concat([known, message('p')]),
  'no mechanism': Buffer.concat([known, message('p', 'abc')]),
  'an unknown mechanism': Buffer.concat([known, sasl.initialResponse.encode('PLAIN', 'n,,n=,r=a')]),
  'a wrong length': Buffer.concat([known, initialResponse('SCRAM-SHA-256', 'n,,n=,r=a', 1e9)]),
  'no nonce': Buffer.concat([known, sasl.initialResponse.encode('SCRAM-SHA-256', 'n,,n=')]),
  'a last message that is none': Buffer.concat([known, first, message('p', 'c=!,r=?,p==')]),
  'a proof that is none': Buffer.concat([known, first, message('p', 'c=biws,r=abcdefgh,p=AAAA')]),
};

/** Protocol 4.1, secure connection, plugins and a database; the user ada, 20 bytes of proof, the database shop. */
const answer = Buffer.concat([
  Buffer.from('08820800000000012d', 'hex'),
  Buffer.alloc(23),
  Buffer.from('ada\0'),
  Buffer.from([20]),
  Buffer.alloc(20, 7),
  Buffer.from('shop\0mysql_native_password\0'),
]);

const mysql: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  'half of a head': Buffer.from([1, 0]),
  'an empty packet': packet(1),
  'a packet of everything': Buffer.alloc(8, 0xff),
  'a wrong number': packet(7, answer),
  'a wrong password': packet(1, answer),
  'a request for TLS, and no TLS': Buffer.concat([
    packet(1, Buffer.from('0c8208000000000121'.padEnd(64, '0'), 'hex')),
    Buffer.alloc(40, 9),
  ]),
  ...Object.fromEntries(
    Array.from({ length: answer.length }, (_, length) => [`${length} bytes`, packet(1, answer.subarray(0, length))]),
  ),
  'a length within that is too long': packet(
    1,
    Buffer.concat([answer.subarray(0, 36), Buffer.from([0xfe]), Buffer.alloc(8, 0xff)]),
  ),
};

async function certificate() {
  const { certificate: cert, key } = makeCertificates();
  const folder = await temporaryFolder();
  const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  return { certFile, keyFile };
}

/** Sends bytes and no more, and waits for the end of the connection. */
async function send(port: number, bytes: Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.resume().end(bytes);
  await once(socket, 'close');
}

describe('the log of the gateway', requires('openssl'), () => {
  for (const isSecure of [false, true]) {
    it(`has no error for what a client without a password does, ${isSecure ? 'with' : 'without'} TLS`, async () => {
      const lines: string[] = [];
      const stream = new Writable({
        write: (chunk, _encoding, done) => {
          lines.push(String(chunk));
          done();
        },
      });
      const tls = isSecure ? { tls: await certificate() } : {};
      const service = await startTestService({ ...ports, ...tls, logger: { level: 'warn', stream } });
      const { postgresql: postgres = 0, mysql: maria = 0 } = service.gatewayPorts;
      for (const bytes of Object.values(postgresql)) await send(postgres, bytes);
      for (const bytes of Object.values(mysql)) await send(maria, bytes);
      await service.close();
      assert.deepEqual(lines, []);
    });
  }
});
