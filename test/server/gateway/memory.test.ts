import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { digestStatement } from '../../../server/audit/show.ts';
import { Memory, MemoryShare } from '../../../server/gateway/memory.ts';
import { MysqlConversation } from '../../../server/gateway/mysql/conversation.ts';
import { PostgresConversation } from '../../../server/gateway/postgresql/conversation.ts';
import type { Conversation } from '../../../server/gateway/protocol.ts';
import { Statements } from '../../../server/gateway/statements.ts';
import { parse, query } from '../../../server/protocols/postgresql/requests.ts';
import { createKeyedDigest } from '../../../server/secrets/keyed-digest.ts';
import { inUse } from '../../support/memory-in-use.ts';
import { packet } from '../support/wire.ts';
import { ownWays } from './mysql/own-ways.ts';

const keyed = createKeyedDigest(createSecretKey(Buffer.alloc(32)), []);
const digest = (text: string) => ({ characters: text.length, digest: text, text });
const mebibyte = 1024 * 1024;
/** What every session may hold. */
const short = 64 * 1024;

interface Way {
  readonly follow: (memory: MemoryShare) => Conversation;
  readonly ask: (sql: string) => Buffer;
  /** Prepares a statement, and the server's answer. */
  readonly prepare: readonly [ask: (sql: string) => Buffer, answer: Buffer];
  /** The server's answer to a statement without rows. */
  readonly done: Buffer;
}

const ways: Record<string, Way> = {
  PostgreSQL: {
    follow: (memory) => new PostgresConversation(new Statements(), digest, memory),
    ask: query.encode,
    prepare: [(sql) => parse.encode('p', sql), Buffer.from('1\0\0\0\x04')],
    done: Buffer.from('C\0\0\0\x07DO\0Z\0\0\0\x05I'),
  },
  MySQL: {
    follow: (memory) => new MysqlConversation(new Statements(), digest, memory, ownWays),
    ask: (sql) => packet(0, `\x03${sql}`),
    prepare: [(sql) => packet(0, `\x16${sql}`), Buffer.from('\x0c\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\0', 'latin1')],
    done: Buffer.from('\x07\0\0\x01\0\0\0\x02\0\0\0', 'latin1'),
  },
};

for (const [protocol, { follow, ask, prepare, done }] of Object.entries(ways)) {
  describe(`what all sessions of ${protocol} hold together`, () => {
    it('is bounded, however many send statements that do not end, and whole statements give it back', () => {
      const memory = new Memory(8 * mebibyte);
      const share = new MemoryShare(memory, 'ada');
      const statement = ask('x'.repeat(mebibyte));
      const whole = follow(share);
      for (let count = 0; count < 20; count += 1) {
        for (let at = 0; at < statement.length; at += 60_000) whole.ask(statement.subarray(at, at + 60_000));
        whole.answer(done);
        assert.ok(memory.held < mebibyte / 8, `${memory.held} bytes are still held`);
      }
      let refused = 0;
      const shares = Array.from({ length: 20 }, (_, index) => {
        const one = new MemoryShare(memory, `person ${index % 3}`);
        const conversation = follow(one);
        try {
          for (let at = 0; at < statement.length - 1; at += 60_000) {
            conversation.ask(statement.subarray(at, Math.min(at + 60_000, statement.length - 1)));
          }
        } catch (error) {
          refused += 1;
          assert.match(String(error), /too many long statements/);
        }
        assert.ok(memory.held <= 8 * mebibyte + 20 * short);
        return one;
      });
      assert.ok(refused > 5 && refused < 20, `${refused} were refused`);
      for (const one of [...shares, share]) one.release();
      assert.equal(memory.held, 0);
    });

    it('counts the statements that wait for their answers, and gives them back as they are answered', () => {
      const memory = new Memory(13 * mebibyte);
      const [share, other] = [new MemoryShare(memory, 'ada'), new MemoryShare(memory, 'bob')];
      const [one, two] = [follow(share), follow(other)];
      const statement = ask('x'.repeat(16_000));
      for (let count = 0; count < 400; count += 1) one.ask(statement);
      assert.ok(memory.held > 6 * mebibyte, `${memory.held} bytes are held`);
      assert.throws(() => {
        for (let count = 0; count < 500; count += 1) two.ask(statement);
      }, /too many long statements/);
      other.release();
      for (let count = 0; count < 400; count += 1) one.answer(done);
      assert.ok(one.isIdle);
      assert.equal(memory.held, 0);
    });

    it('counts the texts of prepared statements, until others take their place', () => {
      const memory = new Memory(mebibyte);
      const share = new MemoryShare(memory, 'ada');
      const conversation = follow(share);
      const [request, answer] = prepare;
      for (let count = 0; count < 100; count += 1) {
        conversation.ask(request('x'.repeat(50_000)));
        conversation.answer(answer);
      }
      assert.equal(Math.floor(memory.held / 50_000), 1);
      share.release();
      assert.equal(memory.held, 0);
    });
  });
}

describe('one person', () => {
  it('may have half of the memory for long statements, and ends no short statement of others', () => {
    const memory = new Memory(8 * mebibyte);
    const hold = (person: string): MemoryShare[] => {
      const shares: MemoryShare[] = [];
      for (;;) {
        const share = new MemoryShare(memory, person);
        try {
          share.add(mebibyte);
        } catch {
          return shares;
        }
        shares.push(share);
      }
    };
    const own = hold('ada');
    assert.ok(memory.held <= 4 * mebibyte + own.length * short, `${memory.held} bytes`);
    new MemoryShare(memory, 'bob').add(3 * mebibyte);
    const others = [...hold('bob'), ...hold('cyd')];
    assert.ok(others.length <= 1);
    for (const person of ['ada', 'dan']) new MemoryShare(memory, person).add(short);
    for (const one of own) one.release();
    assert.ok(hold('ada').length > 0);
  });
});

describe('statements that wait for the audit trail', () => {
  it('count in what all sessions hold, until they are taken', () => {
    const memory = new Memory(mebibyte);
    const statements = new Statements(memory);
    for (let count = 0; count < 100; count += 1) {
      statements.add(digest(`${count}`.padEnd(16_000)), { runs: 1, rows: 0 });
      statements.add(digest(`${count}`.padEnd(16_000)), { runs: 1, rows: 0 });
    }
    assert.equal(memory.held, 1_600_000);
    assert.throws(() => {
      new MemoryShare(memory, 'ada').add(short + 1);
    }, /too many long statements/);
    assert.equal(statements.take().length, 100);
    assert.equal(memory.held, 0);
  });

  it('have no more of a long text than the trail shows', () => {
    const statements = new Statements();
    const before = inUse();
    for (let count = 0; count < 100; count += 1) {
      const long = Buffer.alloc(mebibyte, `select ${count} `).toString();
      statements.add(digestStatement(long, keyed), { runs: 1, rows: 0 });
    }
    const grown = (inUse() - before) / mebibyte;
    assert.equal(statements.waiting, 100);
    assert.ok(grown < 20, `${grown.toFixed(0)} MiB are held`);
  });
});
