import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TextDigest } from '../../../../server/audit/entry.ts';
import { Memory, MemoryShare } from '../../../../server/gateway/memory.ts';
import { PostgresConversation } from '../../../../server/gateway/postgresql/conversation.ts';
import { Statements } from '../../../../server/gateway/statements.ts';
import { FatalError } from '../../../../server/protocols/fatal-error.ts';
import {
  bind,
  close,
  describeStatement,
  execute,
  parse,
  query,
  sync,
} from '../../../../server/protocols/postgresql/requests.ts';
import { message } from '../../support/wire.ts';

const complete = (tag: string): Buffer => message('C', `${tag}\0`);
const failed = (state: string, ...more: string[]): Buffer =>
  message('E', `${['SERROR', 'VERROR', `C${state}`, `M${'no'.repeat(600)}`, ...more].join('\0')}\0\0`);
const [parsed, bound, closed, ready, row] = [
  message('1'),
  message('2'),
  message('3'),
  message('Z', 'I'),
  message('D', '\0\0'),
];
const columns = [message('t', '\0\0'), message('T', '\0\0')];

const digestOf = (text: string) => ({ characters: text.length, digest: text, text });

function follow(statements = new Statements(), digest: (text: string) => TextDigest = digestOf): PostgresConversation {
  return new PostgresConversation(statements, digest, new MemoryShare(new Memory(), 'ada'));
}

const takes = { client: 'ask', server: 'answer' } as const;

/** Takes bytes in pieces. A socket is read into the same bytes again, so they are valid only while they are taken. */
function takePieces(conversation: PostgresConversation, side: 'client' | 'server', bytes: Buffer, piece: number): void {
  for (let at = 0; at < bytes.length; at += piece) {
    const chunk = Buffer.from(bytes.subarray(at, at + piece));
    conversation[takes[side]](chunk);
    chunk.fill(0xee);
  }
}

/** Lets both sides speak, in pieces of some bytes, and gives what the trail is told: `statement runs/rows errors`. */
function toldOf(steps: readonly (readonly ['client' | 'server', ...Buffer[]])[], piece: number): string[] {
  const statements = new Statements();
  const conversation = follow(statements);
  for (const [side, ...messages] of steps) {
    takePieces(conversation, side, Buffer.concat(messages), piece);
    assert.equal(conversation.rest, 0);
  }
  assert.ok(conversation.isIdle, 'every request was answered');
  return statements.take().map(({ statement, runs, rows, failed: errors }) => {
    return [statement.digest, `${runs}/${rows}`, ...Object.keys(errors)].join(' ');
  });
}

/** What becomes of a conversation: what the trail is told, and the error that ends it. Any other error than those for clients fails. */
function outcomeOf(turns: readonly Buffer[], piece: number): string {
  const statements = new Statements();
  const conversation = follow(statements);
  let end = 'open';
  try {
    for (const [turn, bytes] of turns.entries()) {
      takePieces(conversation, turn % 2 === 0 ? 'client' : 'server', bytes, piece);
    }
  } catch (error) {
    end = (error as Error).message;
    if (!(error instanceof FatalError)) assert.match(end, /a message is shorter than its length/);
  }
  conversation.tellRest();
  return JSON.stringify([end, statements.take()]);
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const cases: Record<string, [steps: Parameters<typeof toldOf>[0], told: string[]]> = {
  'a simple query with several results': [
    [
      ['client', query.encode('select 1; select 2')],
      ['server', message('T', '\0\0'), row, complete('SELECT 1'), row, row, complete('SELECT 2'), ready],
    ],
    ['select 1; select 2 1/3'],
  ],
  'a prepared statement that runs twice': [
    [
      [
        'client',
        parse.encode('p', 'select $1'),
        describeStatement.encode('p'),
        bind.encode('', 'p', []),
        execute.encode(''),
        sync,
      ],
      ['server', parsed, ...columns, bound, row, complete('SELECT 1'), ready],
      ['client', bind.encode('', 'p', []), execute.encode(''), close.encode('statement', 'p'), sync],
      ['server', bound, row, row, complete('SELECT 2'), closed, ready],
    ],
    ['select $1 2/3'],
  ],
  'a pipeline that breaks off: what is skipped has not run': [
    [
      [
        'client',
        parse.encode('', 'one'),
        bind.encode('', '', []),
        execute.encode(''),
        parse.encode('', 'two'),
        bind.encode('', '', []),
        execute.encode(''),
        sync,
      ],
      ['client', query.encode('three')],
      ['server', parsed, bound, failed('22012'), ready, complete('SELECT 0'), ready],
    ],
    ['one 1/0 22012', 'three 1/0'],
  ],
  'a statement that cannot be parsed': [
    [
      ['client', parse.encode('', 'selec'), bind.encode('', '', []), execute.encode(''), sync],
      ['server', failed('42601'), ready],
    ],
    ['selec 0/0 42601'],
  ],
  'what runs while the server plans a statement: one that fails there, and ones that are bound and nothing more': [
    [
      ['client', parse.encode('', 'fails'), bind.encode('', '', []), execute.encode(''), sync],
      ['server', parsed, failed('22P02'), ready],
      [
        'client',
        parse.encode('', 'first'),
        bind.encode('', '', []),
        parse.encode('', 'second'),
        bind.encode('', '', []),
        execute.encode(''),
        sync,
      ],
      ['server', parsed, bound, parsed, bound, complete('SELECT 1'), ready],
      [
        'client',
        parse.encode('', 'last'),
        bind.encode('', '', []),
        parse.encode('p', ''),
        bind.encode('p', 'p', []),
        execute.encode('p'),
        sync,
      ],
      ['server', parsed, bound, parsed, bound, message('I'), ready],
    ],
    ['fails 0/0 22P02', 'first 0/0', 'second 1/1', ' 0/0', 'last 0/0'],
  ],
  'what a server logs as no statement: a text that it cannot read, a portal that is empty or not there': [
    [
      ['client', query.encode('selec'), query.encode('do $$ selec $$'), query.encode('select 1; call f()')],
      ['server', failed('42601', 'P1', 'Fscan.l', 'L1', 'Rscanner_yyerror'), ready],
      ['server', failed('42601', 'P7', 'Fscan.l', 'L1', 'Rscanner_yyerror'), ready],
      ['server', message('T', '\0\0'), row, complete('SELECT 1'), failed('42601', 'P1', 'Fscan.l'), ready],
      ['client', query.encode('call f()'), query.encode('call g()')],
      ['server', failed('42601', 'p1', 'qselec', 'Fscan.l', 'L1', 'Rscanner_yyerror'), ready],
      ['server', failed('42601', 'Wtype', 'Fscan.l', 'L1', 'Rscanner_yyerror'), ready],
      ['client', query.encode('é'), query.encode('è'), message('Q', Buffer.from('\x83\\\0', 'latin1'))],
      ['server', failed('22021', 'M"SJIS": 0xc3 0xa9', 'Rreport_invalid_encoding_int'), ready],
      ['server', failed('22021', 'M"UTF8": 0xff', 'Rreport_invalid_encoding_int'), ready],
      ['server', failed('22P05', 'M0x83 0x5c in "GBK"', 'Rreport_untranslatable_char'), ready],
      [
        'client',
        parse.encode('', ''),
        bind.encode('', '', []),
        execute.encode(''),
        sync,
        execute.encode('c'),
        sync,
        query.encode('fetch c'),
      ],
      ['server', parsed, bound, message('I'), ready, failed('34000', 'Rexec_execute_message'), ready],
      ['server', failed('34000', 'RPerformPortalFetch'), ready],
    ],
    [
      'selec 0/0 42601',
      'do $$ selec $$ 1/0 42601',
      'select 1; call f() 1/1 42601',
      'call f() 1/0 42601',
      'call g() 1/0 42601',
      'é 0/0 22021',
      'è 1/0 22021',
      'ƒ\\ 0/0 22P05',
      'portal c 0/0 34000',
      'fetch c 1/0 34000',
    ],
  ],
  'what comes after an error and before the next Sync: the server ignores it': [
    [
      ['client', parse.encode('', 'selec')],
      ['server', failed('42601')],
      ['client', query.encode('ignored'), bind.encode('', '', []), execute.encode(''), sync],
      ['server', ready],
      ['client', query.encode('evil')],
      ['server', complete('DELETE 7'), ready],
    ],
    ['selec 0/0 42601', 'evil 1/7'],
  ],
  'a portal that is read in parts': [
    [
      ['client', parse.encode('', 'many'), bind.encode('', '', []), execute.encode(''), execute.encode(''), sync],
      ['server', parsed, bound, row, row, message('s'), row, complete('SELECT 1'), ready],
    ],
    ['many 2/3'],
  ],
  'a COPY from the client, with a Sync that the server ignores': [
    [
      ['client', parse.encode('', 'copy t from stdin'), bind.encode('', '', []), execute.encode(''), sync],
      ['server', parsed, bound, message('G', '\0\0\0')],
      ['client', message('d', '1\n'), sync, message('c'), sync],
      ['server', complete('COPY 1'), ready],
    ],
    ['copy t from stdin 1/1'],
  ],
  'a COPY that fails among Syncs, some of which the server answers, while the client goes on': [
    [
      ['client', query.encode('copy t from stdin')],
      ['server', message('G', '\0\0\0')],
      ['client', message('d', 'bad\n'), sync, sync],
      ['server', failed('22P02'), ready],
      ['client', parse.encode('', 'evil'), bind.encode('', '', []), execute.encode(''), sync],
      ['server', ready, ready, parsed, bound, complete('DELETE 7'), ready],
      ['client', query.encode('slow')],
      ['server', message('N', 'SNOTICE\0\0'), complete('SELECT 1'), ready],
    ],
    ['copy t from stdin 1/0 22P02', 'evil 1/7', 'slow 1/1'],
  ],
  'a COPY that fails before the server has read the Sync behind it': [
    [
      ['client', parse.encode('', 'copy t from stdin'), bind.encode('', '', []), execute.encode(''), sync],
      ['server', parsed, bound, message('G', '\0\0\0'), failed('P0001')],
      ['client', message('c'), sync],
      ['server', ready],
      ['client', query.encode('evil')],
      ['server', ready, complete('DELETE 7'), ready],
    ],
    ['copy t from stdin 1/0 P0001', 'evil 1/7'],
  ],
  'a name that SQL gives to another statement or cursor': [
    [
      ['client', parse.encode('p', 'fine'), bind.encode('c', 'p', []), message('H')],
      ['server', parsed, bound],
      ['client', query.encode('deallocate p; prepare p as evil; close c; declare c cursor for evil')],
      [
        'server',
        complete('DEALLOCATE'),
        complete('PREPARE'),
        complete('CLOSE CURSOR'),
        complete('DECLARE CURSOR'),
        message('Z', 'T'),
      ],
      ['client', bind.encode('', 'p', []), execute.encode(''), execute.encode('c'), sync],
      ['server', bound, complete('DELETE 7'), complete('SELECT 2'), ready],
    ],
    [
      'fine 0/0',
      'deallocate p; prepare p as evil; close c; declare c cursor for evil 1/0',
      'statement p 1/7',
      'portal c 1/2',
    ],
  ],
  'what SQL runs by the name that a message gave it': [
    [
      ['client', parse.encode('p', 'evil'), parse.encode('', 'other'), bind.encode('c', '', []), sync],
      ['server', parsed, parsed, bound, message('Z', 'T')],
      ['client', query.encode('execute p'), query.encode('fetch all from c')],
      ['server', complete('DELETE 7'), message('Z', 'T'), complete('FETCH 2'), ready],
    ],
    ['evil 0/0', 'other 0/0', 'execute p 1/7', 'fetch all from c 1/2'],
  ],
  'names that servers read otherwise than they are written': [
    ['deallocate Ä', 'Ä'],
    [`deallocate ${'x'.repeat(64)}`, 'x'.repeat(63)],
    ['deallocate /* */ p', 'p'],
  ].reduce<[Parameters<typeof toldOf>[0], string[]]>(
    ([steps, told], [text = '', name = '']) => [
      [
        ...steps,
        ['client', parse.encode(name, 'fine'), sync],
        ['server', parsed, ready],
        ['client', query.encode(text)],
        ['server', complete('DEALLOCATE'), ready],
        ['client', bind.encode('', name, []), execute.encode(''), sync],
        ['server', bound, complete('DELETE 7'), ready],
      ],
      [...told, `${text} 1/0`, `statement ${Buffer.from(name).toString('latin1')} 1/7`],
    ],
    [[], ['fine 0/0']],
  ),
  'statements in another encoding than UTF-8: no two of them become one': [
    [
      [
        'client',
        message('Q', Buffer.from("select 'é'\0", 'latin1')),
        message('Q', Buffer.from("select 'è'\0", 'latin1')),
      ],
      ['server', complete('SELECT 1'), ready, complete('SELECT 1'), ready],
    ],
    ["select 'é' 1/1", "select 'è' 1/1"],
  ],
  'a function call, an empty query and notices between': [
    [
      ['client', message('F', Buffer.from([0, 0, 3, 232, 0, 0, 0, 0, 0, 0])), query.encode('')],
      ['server', message('N', 'SNOTICE\0\0'), message('V', '\0\0\0\0'), ready, message('A', 'x'), message('I'), ready],
    ],
    ['function call 1000 1/0', ' 1/0'],
  ],
};

describe('what the audit trail is told of a conversation', () => {
  for (const [what, [steps, told]] of Object.entries(cases)) {
    it(`is exact for ${what}, wherever the bytes are cut`, () => {
      for (const piece of [1, 2, 3, 5, 7, 64, 4096])
        assert.deepEqual(toldOf(steps, piece), told, `in pieces of ${piece}`);
    });
  }

  it('has what a client sent just before it left', () => {
    const statements = new Statements();
    const conversation = follow(statements);
    const [one, two] = [
      query.encode('one'),
      [parse.encode('', 'two'), bind.encode('', '', []), execute.encode(''), sync],
    ];
    conversation.ask(Buffer.concat([one, ...two, message('X')]));
    conversation.tellRest();
    conversation.tellRest();
    const told = statements.take().map(({ statement, runs }) => `${statement.digest} ${runs}`);
    assert.deepEqual(told, ['one 1', 'two 1']);
  });

  it('has what the server plans, or has planned, at the end of a session and before', () => {
    for (const tell of ['tellRest', 'tellRunning'] as const) {
      for (const answers of [[], [parsed, bound]]) {
        const statements = new Statements();
        const conversation = follow(statements);
        conversation.ask(Buffer.concat([parse.encode('', 'planned'), bind.encode('', '', []), message('H')]));
        for (const answer of answers) conversation.answer(answer);
        conversation[tell]();
        const told = statements.take().map(({ statement, runs }) => `${statement.digest} ${runs}`);
        assert.deepEqual(told, ['planned 0'], `${tell} after ${answers.length} answers`);
      }
    }
  });

  it('ends where a client sends a statement among the rows of a COPY, before or after the server asks for them', () => {
    const copyIn = message('G', '\0\0\0');
    for (const isEarly of [true, false]) {
      const conversation = follow();
      conversation.ask(query.encode('copy t from stdin'));
      assert.throws(() => {
        if (isEarly) conversation.ask(query.encode('harmless'));
        conversation.answer(copyIn);
        conversation.ask(query.encode('harmless'));
      }, /in the middle of the rows of a COPY/);
    }
  });

  it('takes any bytes without a fault of its own, and the same however they are cut', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = randomFrom(seed);
      const pick = (count: number): number => Math.floor(random() * count);
      const known = [
        ...[
          query.encode('q'),
          parse.encode('p', 'x'),
          bind.encode('', 'p', []),
          execute.encode(''),
          sync,
          describeStatement.encode('p'),
          close.encode('statement', 'p'),
        ],
        ...[message('d', 'row'), message('c'), message('f', 'no\0'), message('H'), message('F', '\0\0\0\x01')],
      ];
      const answers = [
        parsed,
        bound,
        closed,
        ready,
        row,
        ...columns,
        complete('SELECT 1'),
        failed('22012'),
        message('G'),
      ];
      const make = (some: Buffer[]): Buffer => {
        const bytes = Buffer.concat(Array.from({ length: 1 + pick(12) }, () => some[pick(some.length)] ?? ready));
        // Every other time a byte is wrong: a type, a length, a text.
        if (pick(2) === 0) bytes[pick(bytes.length)] = pick(256);
        return bytes;
      };
      const turns = Array.from({ length: 6 }, (_, turn) => make(turn % 2 === 0 ? known : answers));
      const outcomes = [1, 3, 4096].map((piece) => outcomeOf(turns, piece));
      assert.equal(new Set(outcomes).size, 1, `seed ${seed}: ${outcomes.join(' | ')}`);
    }
  });

  it('has a statement that still runs, and later only its rows', () => {
    const statements = new Statements();
    const conversation = follow(statements, digestOf);
    conversation.ask(query.encode('slow'));
    conversation.tellRunning();
    const statement = { characters: 4, digest: 'slow' };
    const shown = { statement: { ...statement, text: 'slow' }, runs: 0, rows: 0, failed: {} };
    assert.deepEqual(statements.take(), [shown]);
    conversation.answer(message('T', '\0\0'));
    conversation.tellRunning();
    assert.deepEqual(statements.take(), [{ statement, runs: 1, rows: 0, failed: {} }]);
    conversation.answer(Buffer.concat([complete('UPDATE 7'), ready]));
    assert.deepEqual(statements.take(), [{ statement, runs: 0, rows: 7, failed: {} }]);
  });

  it('has a prepared statement that may be running, whose answers the server keeps until it is done', () => {
    const statements = new Statements();
    const conversation = follow(statements, digestOf);
    conversation.ask(Buffer.concat([parse.encode('', 'slow'), bind.encode('', '', []), execute.encode(''), sync]));
    conversation.tellRunning();
    conversation.tellRunning();
    const statement = { characters: 4, digest: 'slow' };
    const shown = { statement: { ...statement, text: 'slow' }, runs: 0, rows: 0, failed: {} };
    assert.deepEqual(statements.take(), [shown]);
    conversation.answer(Buffer.concat([parsed, bound, complete('UPDATE 7'), ready]));
    assert.deepEqual(statements.take(), [{ statement, runs: 1, rows: 7, failed: {} }]);
  });

  it('ends where a name is longer than servers tell apart', () => {
    const name = 'x'.repeat(63);
    const conversation = follow();
    conversation.ask(
      Buffer.concat([
        parse.encode(name, 'fine'),
        bind.encode(name, name, []),
        execute.encode(name),
        close.encode('statement', name),
      ]),
    );
    for (const long of [
      parse.encode(`${name}a`, 'fine'),
      bind.encode('', `${name}a`, []),
      execute.encode(`${name}a`),
    ]) {
      assert.throws(() => {
        follow().ask(long);
      }, /more than 63 bytes/);
    }
  });

  it('ends where a client asks for more while it cannot be told if the server still ignores it', () => {
    const conversation = follow();
    conversation.ask(
      Buffer.concat([parse.encode('', 'copy t from stdin'), bind.encode('', '', []), execute.encode(''), sync]),
    );
    conversation.answer(Buffer.concat([parsed, bound, message('G', '\0\0\0'), failed('P0001')]));
    assert.throws(() => {
      conversation.ask(parse.encode('', 'evil'));
    }, /in the middle of the rows of a COPY/);
  });

  it('ends where the client says what no client says', () => {
    const conversation = follow();
    assert.throws(() => {
      conversation.ask(message('z'));
    }, FatalError);
    assert.throws(() => {
      conversation.ask(message('B', 'a name without an end'));
    }, FatalError);
    const large = Buffer.alloc(5, 'Q');
    large.writeUInt32BE(65 * 1024 * 1024, 1);
    assert.throws(() => {
      conversation.ask(large);
    }, /longer than 64 MiB/);
    for (let count = 0; count < 4096; count += 1) {
      conversation.ask(parse.encode(`p${count}`, 'x'));
      conversation.answer(parsed);
    }
    conversation.ask(parse.encode('one more', 'x'));
    assert.throws(() => {
      conversation.answer(parsed);
    }, /more than 4096 prepared statements/);
  });

  it('ends where the server may take what it gets for something else than it is taken for here', () => {
    const says = (ask: Buffer, answer: Buffer) => () => {
      const conversation = follow();
      conversation.ask(ask);
      conversation.answer(answer);
    };
    // The server answers these with an error, and ignores what comes up to the next Sync.
    for (const type of ['H', 'S'])
      assert.throws(says(message(type, 'x'), Buffer.alloc(0)), /Sync or Flush with a body/);
    assert.throws(says(message('H'), failed('08P01')), /an error that answers nothing/);
    assert.throws(
      says(Buffer.concat([message('X'), query.encode('select 1')]), Buffer.alloc(0)),
      /more behind Terminate/,
    );
    const fatal = message('E', ['SFATAL', 'VFATAL', 'C57P01', 'Mended', '', ''].join('\0'));
    assert.doesNotThrow(says(Buffer.alloc(0), fatal));
  });

  it('looks for the end of a long text of spaces only once', () => {
    // To look once from each of them would take days.
    for (const text of [`deallocate a${' '.repeat(4_000_000)}x`, `deallocate${' '.repeat(4_000_000)}"`])
      follow().ask(query.encode(text));
  });

  it('tells names apart that begin or end alike, or are as long, whatever came before', () => {
    const names = ['S_1', 'S_10', 'S_', 'S_2', 'ä', 'Ã¤', 'S_1\xff', '1', ''];
    const prepare = names.map((name) => parse.encode(name, `select '${name}'`));
    const order = names.flatMap((one) => names.flatMap((other) => [one, other, one]));
    const runs = order.flatMap((name) => [bind.encode('', name, []), execute.encode('')]);
    const answers = order.flatMap(() => [bound, complete('SELECT 1')]);
    for (const piece of [1, 7, 100_000]) {
      const told = toldOf(
        [
          ['client', ...prepare, ...runs, sync],
          ['server', ...prepare.map(() => parsed), ...answers, ready],
        ],
        piece,
      );
      const count = order.length / names.length;
      assert.deepEqual(told.toSorted(), names.map((name) => `select '${name}' ${count}/${count}`).toSorted());
    }
  });

  it('forgets prepared statements that SQL deallocates, as drivers do under ever new names', () => {
    const conversation = follow();
    const texts = ['deallocate p', 'DEALLOCATE PREPARE P;', ' deallocate "p"', 'deallocate "ä""p"'];
    for (let count = 0; count < 8000; count += 1) {
      const text = texts[count % texts.length] ?? '';
      const name = text.includes('ä') ? 'ä"p' : 'p';
      conversation.ask(parse.encode(`${name}${count}`, 'x'));
      conversation.answer(parsed);
      const one = text.replace(/p"?;?$/i, (end) => `${end[0]}${count}${end.slice(1)}`);
      if (count % 2 === 0) {
        conversation.ask(query.encode(one));
        conversation.answer(Buffer.concat([complete('DEALLOCATE'), ready]));
      } else {
        conversation.ask(Buffer.concat([parse.encode('', one), bind.encode('', '', []), execute.encode(''), sync]));
        conversation.answer(Buffer.concat([parsed, bound, complete('DEALLOCATE'), ready]));
      }
    }
    assert.ok(conversation.isAtRest);
  });

  it('ends where a client prepares more text than the gateway remembers, and not where it closes some', () => {
    const digest = (text: string) => ({
      characters: text.length,
      digest: text.slice(0, 9),
      text: text.slice(0, 16_384),
    });
    const conversation = follow(new Statements(), digest);
    const prepare = (name: string): void => {
      conversation.ask(parse.encode(name, 'x'.repeat(20_000)));
      conversation.answer(parsed);
    };
    for (let count = 0; count < 2000; count += 1) {
      prepare('again');
      prepare('closed');
      conversation.ask(close.encode('statement', 'closed'));
      conversation.answer(closed);
    }
    assert.throws(() => {
      for (let count = 0; count < 1100; count += 1) prepare(`p${count}`);
    }, /longer than 16 MiB/);
  });
});
