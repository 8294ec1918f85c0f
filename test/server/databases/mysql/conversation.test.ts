import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { it } from 'node:test';
import { converse } from '../../../../server/databases/mysql/conversation.ts';
import { ResultWriter } from '../../../../server/databases/rows/result-writer.ts';
import { collector } from '../collect.ts';

it('a server that announces more columns than a table can have is not MySQL', async () => {
  const stream = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      // A header with a length-encoded number: 60,000 columns.
      stream.push(Buffer.from([3, 0, 0, 1, 0xfc, 0x60, 0xea]));
      done();
    },
  });
  const writer = new ResultWriter(collector([]), 1000, () => undefined);
  const asked = converse({ stream, isExtended: false }).ask('SELECT 1', writer);
  setTimeout(() => stream.destroy(new Error('took the columns')), 500).unref();
  await assert.rejects(asked, /does not speak the protocol of MySQL/);
});
