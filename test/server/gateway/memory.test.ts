import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse, query } from '../../../server/databases/postgresql/requests.ts';
import { Memory, MemoryShare } from '../../../server/gateway/memory.ts';
import { MysqlConversation } from '../../../server/gateway/mysql/conversation.ts';
import { PostgresConversation } from '../../../server/gateway/postgresql/conversation.ts';
import type { Conversation } from '../../../server/gateway/session.ts';
import { Statements } from '../../../server/gateway/statements.ts';

const digest = (text: string) => ({ characters: text.length, digest: text, text });
const mebibyte = 1024 * 1024;

function packet(body: string): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  return Buffer.concat([head, Buffer.from(body, 'latin1')]);
}

interface Way {
  readonly follow: (memory: MemoryShare) => Conversation;
  readonly ask: (sql: string) => Buffer;
  /** Prepares a statement, and the server's answer. */
  readonly prepare: readonly [ask: (sql: string) => Buffer, answer: Buffer];
}

const ways: Record<string, Way> = {
  PostgreSQL: {
    follow: (memory) => new PostgresConversation(new Statements(), digest, memory),
    ask: query,
    prepare: [(sql) => parse('p', sql), Buffer.from('1\0\0\0\x04')],
  },
  MySQL: {
    follow: (memory) => new MysqlConversation(new Statements(), digest, memory, () => Promise.resolve(false)),
    ask: (sql) => packet(`\x03${sql}`),
    prepare: [(sql) => packet(`\x16${sql}`), Buffer.from('\x0c\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\0', 'latin1')],
  },
};

for (const [protocol, { follow, ask, prepare }] of Object.entries(ways)) {
  describe(`what all sessions of ${protocol} hold together`, () => {
    it('is bounded, however many send statements that do not end, and whole statements give it back', () => {
      const memory = new Memory(8 * mebibyte);
      const share = new MemoryShare(memory);
      const statement = ask('x'.repeat(mebibyte));
      const whole = follow(share);
      for (let count = 0; count < 20; count += 1) {
        for (let at = 0; at < statement.length; at += 60_000) whole.ask(statement.subarray(at, at + 60_000));
        assert.ok(memory.held < mebibyte / 8, `${memory.held} bytes are still held`);
      }
      let refused = 0;
      const shares = Array.from({ length: 20 }, () => {
        const one = new MemoryShare(memory);
        const conversation = follow(one);
        try {
          for (let at = 0; at < statement.length - 1; at += 60_000) {
            conversation.ask(statement.subarray(at, Math.min(at + 60_000, statement.length - 1)));
          }
        } catch (error) {
          refused += 1;
          assert.match(String(error), /too many long statements/);
        }
        assert.ok(memory.held <= 8 * mebibyte);
        return one;
      });
      assert.ok(refused > 5 && refused < 20, `${refused} were refused`);
      for (const one of [...shares, share]) one.release();
      assert.equal(memory.held, 0);
    });

    it('counts the texts of prepared statements, until others take their place', () => {
      const memory = new Memory(mebibyte);
      const share = new MemoryShare(memory);
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
