import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findKilled, translateKilled } from '../../../../server/gateway/mysql/killed-ids.ts';
import { command } from '../../../../server/protocols/mysql/requests.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const [own, other, onServer] = [1_234_567_890, 1_987_654_321, 77];
const serverId = (id: number): number | undefined => (id === own ? onServer : undefined);

/** What becomes of a command. */
function translated(code: number, body: string | Buffer, byParameter = false): string {
  const bytes = Buffer.from(body as string, 'latin1');
  translateKilled(code, bytes, serverId, () => byParameter);
  return bytes.toString('latin1');
}

/** Statements that stop a session, with a place for its id. */
const kills = [
  'kill ID',
  'KILL QUERY ID;',
  'kill connection ID',
  'kill hard ID',
  'KILL SOFT QUERY\n\tID',
  'kill(ID)',
  'kill query ((ID))',
  "kill 'ID'",
  '/* mine */ kill /* this: ; */ query -- there\n ID # done',
  '# first\nkill ID',
  '/*!50000 kill */ ID',
  '/*M!100100 KILL QUERY */ (/*! ID*/)',
  'kill /*!50000 query */ ID',
  "select 'it''s', \"a\\\"\", `b`; kill query ID; select 'ID'",
  "select 'x\\'y' ; kill ID",
  'begin not atomic kill query ID; end',
  "prepare s from 'kill query ID'",
  'execute immediate "KILL ID"',
  "select '\xe4\xff'; kill ID",
];

/** Texts in which the number is something else. */
const others = [
  'select ID',
  "insert into log values ('kill ID')",
  'insert into log values ("to kill: kill ID")',
  '/* kill ID */ select 1',
  '-- kill ID\nselect 1',
  'select 1 # kill ID',
  'select `kill ID`',
  'select a.kill, ID',
  'select @kill, ID',
  'skill ID',
  'kill query id ID',
  'kill user ID',
  'kill 1ID',
  'kill ID1',
  'kill ID.5',
  'kill query 5, ID',
  'kill /* not at the end ID',
];

describe('the id by which a client knows a session of its person', () => {
  for (const text of kills) {
    it(`leads to it in: ${text.replaceAll(/\s+/g, ' ')}`, () => {
      for (const code of [command.query, command.prepare]) {
        const changed = translated(code, text.replace(/(?<!')ID|ID(?=')/, String(own)));
        assert.equal(changed, text.replace(/(?<!')ID|ID(?=')/, '0000000077'));
        const kept = text.replace('ID', String(other));
        assert.equal(translated(code, kept), Buffer.from(kept, 'latin1').toString('latin1'));
      }
    });
  }

  for (const text of others) {
    it(`is a number like any other in: ${text.replaceAll(/\s+/g, ' ')}`, () => {
      const given = text.replace('ID', String(own));
      assert.equal(translated(command.query, given), given);
    });
  }

  it('leads to it as the parameter of a prepared statement, as drivers send numbers', () => {
    const [long, double, int] = [Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(4)];
    long.writeBigUInt64LE(BigInt(own));
    double.writeDoubleLE(own);
    int.writeUInt32LE(own);
    const text = Buffer.from(`\x0a${own}`);
    const wanted = [Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(4), Buffer.from('\x0a0000000077')] as const;
    wanted[0].writeBigUInt64LE(BigInt(onServer));
    wanted[1].writeDoubleLE(onServer);
    wanted[2].writeUInt32LE(onServer);
    for (const [index, value] of [long, double, int, text].entries()) {
      for (const head of [
        Buffer.from([5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 8, 0]),
        Buffer.from([5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
      ]) {
        const sent = Buffer.concat([head, value]);
        const through = Buffer.concat([head, wanted[index] ?? value]).toString('latin1');
        assert.equal(translated(command.execute, sent, true), through);
        assert.equal(translated(command.execute, sent), sent.toString('latin1'), 'of any other statement');
      }
    }
    for (const text of ['kill ?', '/**/ KILL QUERY (?)']) assert.equal(findKilled(Buffer.from(text)).byParameter, true);
    for (const text of ["select ?, 'kill'", 'kill 5', 'kill user ?', "insert into kills values (?, 'kill ?')"]) {
      assert.equal(findKilled(Buffer.from(text)).byParameter, false);
    }
  });

  it('is found in any text in no time: a hostile one is no longer work', () => {
    const starts = [
      '/*',
      "'",
      '"',
      '`',
      '--',
      '#',
      'kill ',
      '(',
      '\\',
      '/*!',
      '*/',
      "''",
      "'\\",
      'kill /**/ */ ',
      'from \n',
    ];
    for (const start of starts) {
      const text = Buffer.from(`kill ${start.repeat(4096)}`.slice(0, 4096));
      const begun = process.cpuUsage();
      for (let count = 0; count < 20; count += 1) findKilled(text);
      // A pattern that tries again takes minutes.
      assert.ok(process.cpuUsage(begun).user < 2_000_000, start);
    }
  });

  it('changes no length and no byte but the digits, whatever the text', () => {
    const word = fc.constantFrom(
      'kill',
      ' ',
      '(',
      "'",
      '/*',
      '*/',
      '--',
      '\n',
      'query',
      String(own),
      '?',
      '`',
      '"',
      '\\',
      'x',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (words) => {
        const text = words.join('');
        const changed = translated(command.query, text);
        assert.equal(changed.replaceAll('0000000077', String(own)), text);
      }),
      { numRuns: propertyRuns({ quick: 500, all: 10_000 }) },
    );
  });
});
