import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Memory, MemoryShare } from '../../../../server/gateway/memory.ts';
import { MysqlConversation } from '../../../../server/gateway/mysql/conversation.ts';
import { Statements } from '../../../../server/gateway/statements.ts';
import { FatalError } from '../../../../server/protocols/fatal-error.ts';
import { fullPacket, headerLength } from '../../../../server/protocols/mysql/framing.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { ownWays } from './own-ways.ts';

/** Packets of one command or answer, from a sequence number on; what is longer than a packet continues in the next one. */
function packets(sequence: number, ...bodies: (string | Buffer)[]): Buffer {
  const all: Buffer[] = [];
  for (const body of bodies) {
    const bytes = Buffer.from(body as string, 'latin1');
    for (let at = 0; at <= bytes.length; at += fullPacket) {
      const part = bytes.subarray(at, at + fullPacket);
      const head = Buffer.alloc(headerLength, sequence + all.length / 2);
      head.writeUIntLE(part.length, 0, 3);
      all.push(head, part);
    }
  }
  return Buffer.concat(all);
}

interface Outcome {
  /** The error that ended it, or `open`; there is nothing more to compare after an error. */
  readonly end: string;
  readonly told?: unknown[];
  readonly passed?: Buffer;
  readonly own?: Buffer;
  readonly isIdle?: boolean;
  readonly rest?: number;
}

/** A socket is read into the same bytes again, so they are valid only while they are taken. */
const readOver = (chunk: Buffer): void => void chunk.fill(0xee);

type Turn = readonly ['client' | 'server', Buffer];

/** What becomes of turns whose bytes come in pieces: what is told, what goes to the server, and what the gateway answers itself. */
async function outcomeOf(turns: readonly Turn[], piece: number): Promise<Outcome> {
  const statements = new Statements();
  const share = new MemoryShare(new Memory(), 'ada');
  const digest = (text: string) => ({ characters: text.length, digest: text.slice(0, 20) });
  const change = {
    begin: (body: Buffer) => Buffer.from(body),
    finish: (proof: Buffer) => Promise.resolve(Buffer.from(proof)),
  };
  const conversation = new MysqlConversation(statements, digest, share, { ...ownWays, change });
  const [passed, own]: [Buffer[], Buffer[]] = [[], []];
  let end = 'open';
  const ask = async (chunk: Buffer): Promise<void> => {
    passed.push(Buffer.from(conversation.ask(chunk)));
    readOver(chunk);
    if (conversation.ownCommand === undefined) return;
    const { answer, rest } = conversation.ownCommand;
    own.push(await answer());
    await ask(rest);
  };
  for (const [side, bytes] of turns) {
    try {
      for (let at = 0; at < bytes.length; at += piece) {
        const chunk = Buffer.from(bytes.subarray(at, at + piece));
        if (side === 'client') await ask(chunk);
        else conversation.answer(chunk);
        readOver(chunk);
      }
    } catch (error) {
      if (side === 'client') assert.ok(error instanceof FatalError, String(error));
      end = String(error);
      break;
    }
  }
  if (end !== 'open') return { end };
  const { isIdle, rest } = conversation;
  conversation.tellRest();
  const told = statements.take().map(({ statement, runs, rows, failed }) => [statement.digest, runs, rows, failed]);
  share.release();
  return { end, told, passed: Buffer.concat(passed), own: Buffer.concat(own), isIdle, rest };
}

const ok = (affected = 0) => Buffer.from([0, affected, 0, 2, 0, 0, 0]);
const eof = '\xfe\0\0\x02\0';
const [column, row, binaryRow] = ['\x03def'.padEnd(40, 'c'), '\x01a', '\0\0\x01a'];
/** Ends of a result, or of its columns, behind which others come: while a procedure has a cursor open, and otherwise. */
const [inCursor, more] = ['\xfe\0\0\x6a\0', '\xfe\0\0\x0a\0'];

const conversations: Record<string, [turns: Turn[], told: unknown[]]> = {
  'a result, a change and an error': [
    [
      ['client', packets(0, '\x03select 1')],
      ['server', packets(1, '\x01', column, eof, row, row, eof)],
      ['client', packets(0, '\x03update t')],
      ['server', packets(1, ok(7))],
      ['client', packets(0, '\x03selec')],
      ['server', packets(1, '\xff\x28\x04#42000no')],
    ],
    [
      ['select 1', 1, 2, {}],
      ['update t', 1, 7, {}],
      ['selec', 1, 0, { 42000: 1 }],
    ],
  ],
  'the list of what others run, which has a command of its own': [
    [
      ['client', packets(0, '\x0a')],
      ['server', packets(1, '\x01', column, eof, row, row, eof)],
    ],
    [['SHOW PROCESSLIST', 1, 2, {}]],
  ],
  'several results of one statement': [
    [
      ['client', packets(0, '\x03call p')],
      ['server', packets(1, '\x01', column, eof, row, '\xfe\0\0\x0a\0', Buffer.from([0, 3, 0, 2, 0, 0, 0]))],
    ],
    [['call p', 1, 4, {}]],
  ],
  'a procedure that gives results while it has a cursor of its own': [
    [
      ['client', packets(0, '\x03call p')],
      ['server', packets(1, '\x01', column, inCursor, row, inCursor, '\x01', column, inCursor, row, row, more, ok())],
      ['client', packets(0, '\x16call p')],
      ['server', packets(1, '\0\x01\0\0\0\0\0\0\0\0\0\0')],
      // Also where the client has asked for a cursor: a procedure gets none.
      ['client', packets(0, '\x17\x01\0\0\0\x01\x01\0\0\0')],
      [
        'server',
        packets(1, '\x01', column, inCursor, binaryRow, inCursor, '\x01', column, more, binaryRow, more, ok()),
      ],
      ['client', packets(0, '\x17\x01\0\0\0\0\x01\0\0\0')],
      ['server', packets(1, '\x01', column, inCursor, binaryRow, eof)],
    ],
    [['call p', 3, 6, {}]],
  ],
  'a cursor of the client, whose rows are fetched': [
    [
      ['client', packets(0, '\x16select')],
      ['server', packets(1, '\0\x01\0\0\0\x01\0\0\0\0\0\0', column, eof)],
      ['client', packets(0, '\x17\x01\0\0\0\x01\x01\0\0\0')],
      ['server', packets(1, '\x01', column, '\xfe\0\0\x42\0')],
      ['client', packets(0, '\x1c\x01\0\0\0\x02\0\0\0')],
      ['server', packets(1, binaryRow, binaryRow, '\xfe\0\0\x42\0')],
      ['client', packets(0, '\x1c\x01\0\0\0\x02\0\0\0')],
      // The last row was sent. A result of a fetch has no other one behind it, whatever the bits are.
      ['server', packets(1, binaryRow, '\xfe\0\0\x8a\0')],
      // The server gives no cursor to some statements.
      ['client', packets(0, '\x17\x01\0\0\0\x01\x01\0\0\0')],
      ['server', packets(1, '\x01', column, eof, binaryRow, eof)],
    ],
    [['select', 2, 4, {}]],
  ],
  'commands that do what a statement does': [
    [
      ['client', packets(0, '\x04some table\0a%')],
      ['server', packets(1, column, column, eof)],
      ['client', packets(0, '\x04nowhere\0')],
      ['server', packets(1, '\xff\x7a\x04#42S02no')],
      ['client', packets(0, '\x09')],
      ['server', packets(1, 'Uptime: 7')],
    ],
    [
      ['SHOW FIELDS FROM som', 1, 2, {}],
      ['SHOW FIELDS FROM now', 1, 0, { '42S02': 1 }],
    ],
  ],
  'what the server could not read, which has not run': [
    [
      ['client', packets(0, '\x16select ?')],
      ['server', packets(1, '\0\x01\0\0\0\0\0\x01\0\0\0\0', column, eof)],
      ['client', packets(0, '\x17\x01\0')],
      ['server', packets(1, '\xff\x2b\x07#HY000no')],
      ['client', packets(0, '\x17\x01\0\0\0\0\x01\0\0\0')],
      ['server', packets(1, '\xff\xba\x04#HY000no')],
      // It has a value, and may have run.
      ['client', packets(0, '\x17\x01\0\0\0\0\x01\0\0\0\0\0')],
      ['server', packets(1, '\xff\xba\x04#HY000no')],
    ],
    [['select ?', 1, 0, { HY000: 2 }]],
  ],
  'a statement that is prepared and never runs': [
    [
      ['client', packets(0, '\x16select ?')],
      ['server', packets(1, '\0\x05\0\0\0\x01\0\x01\0\0\0\0', column, eof, column, eof)],
      ['client', packets(0, '\x19\x05\0\0\0')],
    ],
    [['select ?', 0, 0, {}]],
  ],
  'a prepared statement that runs twice and is closed': [
    [
      ['client', packets(0, '\x16select ?')],
      ['server', packets(1, '\0\x05\0\0\0\x01\0\x01\0\0\0\0', column, eof, column, eof)],
      ['client', packets(0, '\x17\x05\0\0\0\0\x01\0\0\0')],
      ['server', packets(1, '\x01', column, eof, row, eof)],
      ['client', packets(0, '\x17\x05\0\0\0\0\x01\0\0\0')],
      ['server', packets(1, '\x01', column, eof, row, eof)],
      ['client', Buffer.concat([packets(0, '\x19\x05\0\0\0'), packets(0, '\x0e')])],
      ['server', packets(1, ok())],
    ],
    [['select ?', 2, 2, {}]],
  ],
  'statements that run, and are closed, before the server has given them their numbers': [
    [
      ['client', packets(0, '\x16select ?')],
      ['server', packets(1, '\0\x01\0\0\0\0\0\0\0\0\0\0')],
      // Each is a command of its own.
      ['client', packets(0, '\x16delete ?')],
      ['client', packets(0, '\x17\x02\0\0\0\0\x01\0\0\0')],
      // MariaDB's number for the one that was prepared last.
      ['client', packets(0, '\x17\xff\xff\xff\xff\0\x01\0\0\0')],
      ['client', packets(0, '\x19\x02\0\0\0')],
      ['client', packets(0, '\x16delet ?')],
      ['client', packets(0, '\x17\xff\xff\xff\xff\0\x01\0\0\0')],
      ['server', packets(1, '\0\x02\0\0\0\0\0\0\0\0\0\0')],
      ['server', packets(1, ok(7))],
      ['server', packets(1, ok(3))],
      ['server', packets(1, '\xff\x28\x04#42000no')],
      // None was.
      ['server', packets(1, '\xff\xdb\x04#HY000no')],
      ['client', packets(0, '\x17\x02\0\0\0\0\x01\0\0\0')],
      ['server', packets(1, '\xff\xdb\x04#HY000no')],
      // The server knows it, and what it runs knows another one not.
      ['client', packets(0, '\x17\x01\0\0\0\0\x01\0\0\0')],
      ['server', packets(1, '\xff\xdb\x04#HY000no')],
    ],
    [
      ['select ?', 1, 0, { HY000: 1 }],
      ['delete ?', 2, 10, {}],
      // The server logs nothing either.
      ['delet ?', 0, 0, { 42000: 1 }],
      ['prepared statement 4', 0, 0, { HY000: 1 }],
      ['prepared statement 2', 0, 0, { HY000: 1 }],
    ],
  ],
  'a driver of MariaDB that sends its rows at once, and one by one after the server has refused that': [
    [
      ['client', packets(0, '\x16insert ?')],
      ['server', packets(1, '\0\x01\0\0\0\0\0\0\0\0\0\0')],
      ['client', packets(0, '\xfa\x01\0\0\0\x80\0'.padEnd(40_000, 'x'))],
      ['server', packets(1, '\xff\x0f\x05#HY000no')],
      ['client', packets(0, '\x17\x01\0\0\0\0\x01\0\0\0')],
      ['server', packets(1, ok(1))],
      // A server that does it.
      ['client', packets(0, '\xfa\x01\0\0\0\x80\0')],
      ['server', packets(1, ok(7))],
    ],
    [['insert ?', 2, 8, { HY000: 1 }]],
  ],
  'what is prepared and runs without an answer': [
    [['client', Buffer.concat([packets(0, '\x16delete ?'), packets(0, '\x17\x01\0\0\0\0\x01\0\0\0')])]],
    [
      ['delete ?', 0, 0, {}],
      ['prepared statement 1', 1, 0, {}],
    ],
  ],
  'commands that the gateway answers itself, among others': [
    [
      ['client', Buffer.concat([packets(0, '\x03select 1'), packets(0, '\x08'), packets(0, '\x0c\0\0\0\x40')])],
      ['client', packets(0, '\x03select 2')],
      ['server', packets(1, '\x01', column, eof, row, eof)],
      ['server', packets(1, '\x01', column, eof, eof)],
    ],
    [
      ['select 1', 1, 1, {}],
      ['select 2', 1, 0, {}],
    ],
  ],
  'statements in another encoding than UTF-8': [
    [
      ['client', packets(0, "\x03select 'é'")],
      ['server', packets(1, '\x01', column, eof, row, eof)],
      ['client', packets(0, '\x02é')],
      ['server', packets(1, ok())],
    ],
    [
      ["select 'é'", 1, 1, {}],
      ['USE é', 1, 0, {}],
    ],
  ],
  'what is left unanswered': [[['client', packets(0, '\x03select 3')]], [['select 3', 1, 0, {}]]],
};

/** Statements and rows at the edge of a packet, and beyond it. */
const long: Record<string, number> = { 'one byte less': -1, 'exactly as long': 0, 'longer by one': 1 };

describe('what the audit trail is told of a conversation of MySQL', () => {
  for (const [what, [turns, told]] of Object.entries(conversations)) {
    it(`is exact for ${what}, wherever the bytes are cut`, async () => {
      const whole = await outcomeOf(turns, Infinity);
      assert.deepEqual(whole.told, told);
      assert.equal(whole.rest, 0);
      for (const piece of [1, 2, 3, 4, 5, 7, 11, 28, 29, 64]) assert.deepEqual(await outcomeOf(turns, piece), whole);
    });
  }

  it('goes to the server without the commands that the gateway answers itself', async () => {
    const [one, two] = [packets(0, '\x03select 1'), packets(0, '\x0e')];
    const refused = [packets(0, '\x08'), packets(0, '\x0c\0\0\0\x40'), packets(0, 'c')];
    const asked = [one, ...refused, packets(0, '\x11ada'), packets(0, 'proof'), two];
    for (const piece of [Infinity, 5]) {
      const { passed, own } = await outcomeOf([['client', Buffer.concat(asked)]], piece);
      assert.deepEqual(passed, Buffer.concat([one, two]));
      assert.match(String(own), /COM_SHUTDOWN is refused.*does not know the command 99.*adaproof/s);
    }
  });

  for (const [what, more] of Object.entries(long)) {
    it(`is exact for a statement and a row of 16 MiB: ${what}`, async () => {
      const [statement, longRow] = ['\x03'.padEnd(fullPacket + more, 'x'), '\xfd'.padEnd(fullPacket + more, 'y')];
      const request = packets(0, statement);
      const turns: Turn[] = [
        ['client', request],
        ['server', packets(more < 0 ? 1 : 2, '\x01', column, eof, longRow, longRow, eof)],
        ['client', packets(0, '\x0e')],
        ['server', packets(1, ok())],
      ];
      for (const piece of [Infinity, 65_536]) {
        const { told, isIdle, rest, passed } = await outcomeOf(turns, piece);
        assert.deepEqual(told, [['x'.repeat(20), 1, 2, {}]]);
        assert.deepEqual({ isIdle, rest }, { isIdle: true, rest: 0 });
        assert.equal(passed?.length, request.length + 5);
      }
    });
  }

  it('takes any bytes without a fault of its own, and the same however they are cut', async () => {
    const known = Object.values(conversations).flatMap(([turns]) => turns.map(([, bytes]) => bytes));
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 80 }).map((array) => Buffer.from(array)),
      fc.constantFrom(...known),
      fc.tuple(fc.constantFrom(...known), fc.nat(), fc.nat(255)).map(([from, at, byte]) => {
        const changed = Buffer.from(from);
        changed[at % changed.length] = byte;
        return changed;
      }),
    );
    const turn = fc.tuple(fc.constantFrom('client' as const, 'server' as const), bytes);
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 12 }), fc.integer({ min: 1, max: 40 }), async (turns, piece) => {
        assert.deepEqual(await outcomeOf(turns, piece), await outcomeOf(turns, Infinity));
      }),
      { numRuns: propertyRuns({ quick: 500, all: 10_000 }) },
    );
  });

  it('ends where the server sends an answer to nothing: its client would take it for the next one, and send a file', async () => {
    const unasked = await outcomeOf([['server', packets(0, '\xfb/etc/passwd')]], Infinity);
    assert.match(unasked.end, /an answer to nothing that the client asked/);
    const early: Turn[] = [
      ['client', packets(0, '\x03do 1')],
      ['server', Buffer.concat([packets(1, ok()), packets(1, '\xfb/etc/passwd')])],
    ];
    for (const piece of [1, 7, Infinity]) assert.match((await outcomeOf(early, piece)).end, /an answer to nothing/);
    const why = await outcomeOf([['server', packets(0, '\xff\x87\x07#70100the connection was killed')]], Infinity);
    assert.equal(why.end, 'open');
  });

  it('ends where the gateway has lost track: the trail would count wrongly', async () => {
    const asked: Turn = ['client', Buffer.concat([packets(0, '\x03select 1'), packets(0, '\x03select 2')])];
    const gaps = [
      packets(2, ok()),
      packets(1, '\x01', column, eof).fill(9, 8, 9),
      // The rest of an answer that seemed to be over.
      Buffer.concat([packets(1, ok()), packets(2, ok())]),
    ];
    for (const gap of gaps) {
      const ends = await Promise.all([1, 7, Infinity].map((piece) => outcomeOf([asked, ['server', gap]], piece)));
      for (const { end } of ends) assert.match(end, /lost track of the answers of the server/);
    }
    // A server that ends the connection says so with a number of its own.
    const killed = await outcomeOf([asked, ['server', packets(0, '\xff\x87\x07#70100killed')]], Infinity);
    assert.equal(killed.end, 'open');
  });

  it('passes the id of a session of the same person on as the id that the server knows', () => {
    const share = new MemoryShare(new Memory(), 'ada');
    const digest = (text: string) => ({ characters: text.length, digest: text });
    const serverId = (id: number) => (id === 1_234_567_890 ? 77 : undefined);
    for (const piece of [1, 5, Infinity]) {
      const statements = new Statements();
      const conversation = new MysqlConversation(statements, digest, share, { ...ownWays, serverId });
      const ask = (bytes: Buffer): string => {
        const passed: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += piece) {
          const chunk = Buffer.from(bytes.subarray(at, at + piece));
          passed.push(Buffer.from(conversation.ask(chunk)));
          readOver(chunk);
        }
        return Buffer.concat(passed).toString('latin1');
      };
      const long = `/*${'x'.repeat(3000)}*/ kill query`;
      assert.equal(ask(packets(0, `\x03${long} 1234567890`)), packets(0, `\x03${long} 0000000077`).toString('latin1'));
      conversation.answer(packets(1, ok()));
      const value = '\x17\x01\0\0\0\0\x01\0\0\0\0\x01\x08\0';
      const [id, onServer] = ['\xd2\x02\x96\x49\0\0\0\0', 'M\0\0\0\0\0\0\0'];
      for (const [text, becomes] of [
        ['kill ?', onServer],
        ['select ?', id],
      ] as const) {
        ask(packets(0, `\x16${text}`));
        conversation.answer(packets(1, '\0\x01\0\0\0\0\0\x01\0\0\0\0', column, eof));
        assert.equal(ask(packets(0, value + id)), packets(0, value + becomes).toString('latin1'));
        conversation.answer(packets(1, ok()));
      }
      // Drivers of MariaDB run what they prepare before that is answered, by the number for the last statement.
      ask(packets(0, '\x16kill ?'));
      conversation.answer(packets(1, '\0\x02\0\0\0\0\0\x01\0\0\0\0', column, eof));
      const last = packets(0, value.replace('\x01\0\0\0', '\xff\xff\xff\xff') + id);
      const prepareInsert = packets(0, '\x16insert ?');
      assert.equal(ask(Buffer.concat([prepareInsert, last])), Buffer.concat([prepareInsert, last]).toString('latin1'));
      conversation.answer(packets(1, '\0\x03\0\0\0\0\0\x01\0\0\0\0', column, eof));
      conversation.answer(packets(1, ok()));
      const command = packets(0, '\x0c\xd2\x02\x96\x49');
      assert.equal(ask(command), packets(0, '\x0cM\0\0\0').toString('latin1'));
      conversation.answer(packets(1, ok()));
      const told = statements.take().map(({ statement, runs }) => [statement.digest.replace(long, 'kill'), runs]);
      assert.deepEqual(told, [
        ['kill 0000000077', 1],
        ['kill ?', 1],
        ['select ?', 1],
        ['insert ?', 1],
        ['KILL 77', 1],
      ]);
    }
  });

  it('is ended with a number behind that of the proof, where the client was asked for one', async () => {
    const change = { begin: () => Buffer.from('proof?'), finish: () => Promise.resolve(ok()) };
    const digest = (text: string) => ({ characters: text.length, digest: text });
    const share = new MemoryShare(new Memory(), 'ada');
    const conversation = new MysqlConversation(new Statements(), digest, share, { ...ownWays, change });
    const ask = async (bytes: Buffer): Promise<number | undefined> => {
      conversation.ask(bytes);
      await conversation.ownCommand?.answer();
      conversation.ask(conversation.ownCommand?.rest ?? Buffer.alloc(0));
      return conversation.farewell(new FatalError('57P01', 'ended'))[3];
    };
    assert.equal(await ask(packets(0, '\x11ada')), 3);
    assert.equal(await ask(packets(2, 'a proof')), 1);
  });
});
