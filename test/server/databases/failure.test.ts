import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serverVersion } from '../../../server/databases/dialect.ts';
import { describeFailure } from '../../../server/databases/failure.ts';
import { testConnection } from '../../../server/databases/index.ts';
import { guard } from '../../support/guard.ts';

describe('the description of a failed connection', () => {
  it('is the message of the driver', () => {
    assert.equal(describeFailure(new Error('no such database'), undefined), 'no such database');
    assert.equal(describeFailure('a text', undefined), 'a text');
  });

  it('joins what a name with several addresses gives, once each', () => {
    const errors = [
      new Error('refused ::1'),
      new AggregateError([new Error('refused 127.0.0.1')]),
      new Error('refused ::1'),
    ];
    assert.equal(describeFailure(new AggregateError(errors), undefined), 'refused ::1; refused 127.0.0.1');
  });

  it('falls back to the code or the name where there is no message', () => {
    assert.equal(describeFailure(Object.assign(new Error(''), { code: 'ECONNRESET' }), undefined), 'ECONNRESET');
    assert.equal(describeFailure(new TypeError(''), undefined), 'TypeError');
    assert.equal(describeFailure(new AggregateError([]), undefined), 'AggregateError');
  });

  it('is withheld where the password is in it, as it is or as a URI has it', () => {
    for (const message of ['login s€cret!', 'uri x:s%E2%82%ACcret!@y']) {
      const text = describeFailure(new Error(message), { password: 's€cret!', user: 's€cre', host: 'y' });
      assert.equal(text, 'the reason is not shown, since it has the password in it');
    }
  });

  it('does not tell by a gap that the password is a part of the host, the user or the database', () => {
    const uri = { host: 'billing.example', user: 'ada-billing', database: 'billing', password: 'billing' };
    for (const text of ['getaddrinfo ENOTFOUND billing.example', 'no user "ada-billing" in "billing"']) {
      assert.equal(describeFailure(new Error(text), uri), text);
    }
    assert.doesNotMatch(
      describeFailure(new Error('billing.example: billing-1'), { ...uri, password: 'billing-1' }),
      /billing/,
    );
  });

  it('has no control characters, and an end', () => {
    assert.equal(describeFailure(new Error('a\u001b[31m\r\nb\u0000'), undefined), 'a [31m b');
    assert.equal(describeFailure(new Error('x'.repeat(5000)), undefined).length, 1001);
  });

  it('masks a password that the limit would cut in two', () => {
    assert.doesNotMatch(describeFailure(new Error(`${'x'.repeat(995)}password`), { password: 'password' }), /xpass/);
  });

  it('says what is wrong with a URI, without its password', async () => {
    const outcome = await testConnection('postgresql://ada:secret@a,b/x', { guard });
    assert.ok(!outcome.success);
    assert.match(outcome.message, /^the connection URI must name one host/);
  });
});

describe('the numbers of a version', () => {
  for (const [text, numbers] of [
    ['18.4', [18, 4, 0]],
    ['15.18 (Debian 15.18-0+deb12u1)', [15, 18, 0]],
    ['9.6.24', [9, 6, 24]],
    ['18beta1', [18, 0, 0]],
    ['', [0, 0, 0]],
  ] as const) {
    it(`of ${JSON.stringify(text)} are ${numbers.join(', ')}`, () => {
      const { major, minor, patch } = serverVersion('PostgreSQL', text);
      assert.deepEqual([major, minor, patch], numbers);
    });
  }
});
