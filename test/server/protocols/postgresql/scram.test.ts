import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { makeVerifier, ScramError, ScramServer } from '../../../../server/protocols/postgresql/scram.ts';

interface ClientSession {
  response: string;
}
/** The client's side, as node-postgres has it; not in its types. */
const sasl = createRequire(import.meta.url)('../../../../node_modules/pg/lib/crypto/sasl.js') as {
  startSession: (mechanisms: readonly string[], stream?: object) => ClientSession;
  continueSession: (session: ClientSession, password: string, serverFirst: string, stream?: object) => Promise<void>;
  finalizeSession: (session: ClientSession, serverFinal: string) => void;
};

const password = 'x7Tq2kVx9LmN';
const candidates = [await makeVerifier('another'), await makeVerifier(password)];
const certificateHash = createHash('sha256').update('certificate').digest();

describe('a log-in by SCRAM', () => {
  it('finds the password that fits among several, and proves to the client that it knew it', async () => {
    const exchange = new ScramServer(undefined);
    const client = sasl.startSession(exchange.mechanisms);
    await sasl.continueSession(client, password, exchange.begin('SCRAM-SHA-256', client.response));
    const result = exchange.finish(client.response, candidates);
    assert.equal(result?.verifier, candidates[1]);
    sasl.finalizeSession(client, result?.answer ?? '');
  });

  it('lets no wrong password in, and answers first the same for everyone', async () => {
    const exchange = new ScramServer(undefined, 'nonce');
    const client = sasl.startSession(exchange.mechanisms);
    const first = exchange.begin('SCRAM-SHA-256', client.response);
    await sasl.continueSession(client, 'wrong', first);
    assert.equal(exchange.finish(client.response, candidates), undefined);
    assert.equal(exchange.finish(client.response, []), undefined);
    assert.match(first, /^r=[^,]+nonce,s=[A-Za-z0-9+/]{22}==,i=4096$/);
  });

  it('is bound to its TLS connection: to another certificate, and with the offer removed, it fails', () => {
    const begin = (message: string, mechanism = 'SCRAM-SHA-256-PLUS') => {
      const exchange = new ScramServer(certificateHash, 'nonce');
      exchange.begin(mechanism, message);
      return exchange;
    };
    const proof = Buffer.alloc(32).toString('base64');
    const finalOf = (bound: Buffer) => {
      const binding = Buffer.concat([Buffer.from('p=tls-server-end-point,,'), bound]).toString('base64');
      return `c=${binding},r=abcnonce,p=${proof}`;
    };
    const bound = begin('p=tls-server-end-point,,n=,r=abc');
    assert.throws(
      () => bound.finish(finalOf(createHash('sha256').update('other').digest()), []),
      /another TLS connection/,
    );
    assert.equal(bound.finish(finalOf(certificateHash), []), undefined);
    assert.throws(() => begin('y,,n=,r=abc', 'SCRAM-SHA-256'), /was removed/);
    assert.throws(() => begin('n,,n=,r=abc'), /does not fit/);
  });

  it('refuses what is malformed, and a nonce of another log-in', () => {
    for (const message of [
      '',
      'n,,',
      'n,,n=,r=',
      'n,a=b,n=,r=abc',
      'p=tls-unique,,n=,r=abc',
      `n,,n=,r=${'a'.repeat(300)}`,
    ]) {
      assert.throws(() => new ScramServer(undefined).begin('SCRAM-SHA-256', message), ScramError, message);
    }
    assert.throws(() => new ScramServer(undefined).begin('PLAIN', 'n,,n=,r=abc'), ScramError);
    const exchange = new ScramServer(undefined, 'nonce');
    exchange.begin('SCRAM-SHA-256', 'n,,n=,r=abc');
    const proof = Buffer.alloc(32).toString('base64');
    for (const message of [
      '',
      `c=biws,r=abcother,p=${proof}`,
      `c=biws,r=abc,p=${proof}`,
      `c=eSws,r=abcnonce,p=${proof}`,
    ]) {
      assert.throws(() => exchange.finish(message, candidates), ScramError, message);
    }
  });
});
