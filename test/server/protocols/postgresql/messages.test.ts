import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as answers from '../../../../server/protocols/postgresql/answers.ts';
import { sasl } from '../../../../server/protocols/postgresql/authentication.ts';
import { headerLength } from '../../../../server/protocols/postgresql/framing.ts';
import * as requests from '../../../../server/protocols/postgresql/requests.ts';
import * as startup from '../../../../server/protocols/postgresql/startup.ts';

/** What is read of a message that was written. */
function read<T>(message: Buffer, decode: (bytes: Buffer, start: number, end: number) => T): T {
  assert.equal(message.readUInt32BE(1), message.length - 1);
  // In the middle of others, as messages arrive.
  const around = Buffer.concat([Buffer.from('\0before\0'), message, Buffer.from('behind\0')]);
  return decode(around, 8 + headerLength, 8 + message.length);
}

describe('a message of PostgreSQL is read as it was written', () => {
  it('by a client', () => {
    assert.equal(String(read(requests.query.encode('select ü'), requests.query.decode)), 'select ü');
    const { name, sql } = read(requests.parse.encode('st', 'select 1'), requests.parse.decode);
    assert.deepEqual([name, String(sql)], ['st', 'select 1']);
    const bound = read(requests.bind.encode('p', 'st', [1], ['a', null]), requests.bind.decode);
    assert.deepEqual(bound, { portal: 'p', statement: 'st' });
    assert.equal(read(requests.execute.encode('p'), requests.execute.decode), 'p');
    for (const kind of ['statement', 'portal'] as const) {
      assert.deepEqual(read(requests.close.encode(kind, 'st'), requests.close.decode), { kind, name: 'st' });
    }
    const response = 'n,,n=*,r=ü';
    const initial = sasl.initialResponse.encode('SCRAM-SHA-256', response).subarray(headerLength);
    assert.deepEqual(sasl.initialResponse.decode(initial), { mechanism: 'SCRAM-SHA-256', response });
  });

  it('by a server', () => {
    const failure = { sqlState: '57P01', message: 'it\0ends', hint: 'again' };
    const fields = read(answers.errorResponse.encode(failure), answers.errorResponse.decode);
    assert.deepEqual(Object.fromEntries(fields), { S: 'FATAL', V: 'FATAL', C: '57P01', M: 'it ends', H: 'again' });
    const setting = { name: 'Größe', value: 'ü' };
    const status = answers.parameterStatus.encode(setting.name, setting.value);
    assert.deepEqual(read(status, answers.parameterStatus.decode), setting);
    assert.equal(read(answers.commandComplete.encode('INSERT 0 5'), answers.commandComplete.decode), 'INSERT 0 5');
    assert.equal(read(answers.readyForQuery.encode('T'), answers.readyForQuery.decode), 'T');
    const mechanisms = sasl.mechanisms.encode(['A', 'B']).subarray(headerLength + 4);
    assert.deepEqual(sasl.mechanisms.decode(mechanisms).slice(0, 2), ['A', 'B']);
  });

  it('before a log-in', () => {
    const key = { processId: -7, secret: Buffer.alloc(32, 9) };
    assert.deepEqual(startup.readStart(startup.cancelRequest.encode(key).subarray(4)), { kind: 'cancel', ...key });
    for (const kind of ['tls', 'gss'] as const) {
      assert.deepEqual(startup.readStart(startup.encryptionRequest.encode(kind).subarray(4)), { kind });
    }
    const parameters = { user: 'ada', database: '', options: '-c geqo=off' };
    assert.deepEqual(startup.readStart(startup.startupMessage.encode(parameters).subarray(4)), {
      kind: 'session',
      minor: 0,
      parameters: new Map(Object.entries(parameters)),
    });
  });
});
