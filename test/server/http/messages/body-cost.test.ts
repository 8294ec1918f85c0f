import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OperationId, routeTable } from '@rolecall/api';
import { bodyLimit } from '../../../../server/http/limits/limits.ts';
import { requestParser } from '../../../../server/http/messages/parse-request.ts';
import { Refusal } from '../../../../server/refusal.ts';

const form = 'application/x-www-form-urlencoded';

/** The processor's time to read a body of the largest size, in milliseconds; the best of three, since others are busy too. */
function cost(
  id: OperationId,
  piece: (index: number) => string,
  [open, close]: [string, string],
  type: string,
): number {
  const pieces: string[] = [];
  for (let size = open.length + close.length; size < bodyLimit - 100; size += pieces.at(-1)?.length ?? 0) {
    pieces.push(piece(pieces.length));
  }
  const bytes = Buffer.from(`${open}${pieces.join('')}${close}`);
  const parse = requestParser(routeTable[id]);
  const params = id === 'executeCommands' ? { dataSource: '0b9e7f3a52c4' } : {};
  const runs = Array.from({ length: 3 }, () => {
    const begun = process.cpuUsage();
    assert.throws(
      () => parse({ params, query: '', contentType: type, contentEncoding: undefined, bytes, unread: false }),
      (error) => error instanceof Refusal && error.status < 500,
    );
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

describe('the largest body', () => {
  // Parsed and checked in full, most of these take between 150 and 3000 ms of the same processor.
  const most = 150;
  const json = 'application/json';
  for (const [what, id, piece, ends, type] of [
    ['unknown fields', 'createPerson', (index) => `"f${index}":1,`, ['{', '"z":1}'], json],
    ['unknown fields of a form', 'createPerson', (index) => `f${index}=1&`, ['', 'z=1'], form],
    ['nothing but ampersands', 'createPerson', () => '&&&&&&&&', ['', ''], form],
    ['nothing but plus signs', 'createPerson', () => '++++++++', ['a=', ''], form],
    ['commands', 'executeCommands', () => '"x",', ['{"commands":[', '"x"]}'], json],
    ['one command', 'executeCommands', () => 'xxxxxxxx', ['{"commands":["', '"]}'], json],
    [
      'definitions',
      'recordDeclarations',
      (index) => `{"kind":"person","id":"p${index}","definition":"Person/p${index}","isKept":false},`,
      ['{"declared":[', '{}]}'],
      json,
    ],
    ['escapes', 'createPerson', () => '\\"\\"', ['{"name":"', '"}'], json],
    ['empty arrays', 'createPerson', () => '[],', ['[', '[]]'], json],
  ] as const satisfies [string, OperationId, (index: number) => string, [string, string], string][]) {
    it(`of ${what} is refused without keeping others waiting`, () => {
      const ms = cost(id, piece, [...ends], type);
      assert.ok(ms < most, `${ms} ms`);
    });
  }
});
