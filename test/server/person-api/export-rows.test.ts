import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { JsonBytes, JsonStream } from '../../../server/json-answer.ts';
import { rowsOf } from '../../../server/person-api/export-result.ts';
import { Refusal } from '../../../server/refusal.ts';
import { SpoolGoneError } from '../../../server/spool/spool.ts';

function* gone() {
  yield Buffer.from('[');
  throw new SpoolGoneError();
}

it('the rows of a download are not found where the query is deleted before they are read, or while', async () => {
  const read = (answer: () => JsonBytes | JsonStream) => {
    const queries = { readRows: () => Promise.try(answer) };
    return Readable.from(rowsOf(queries, { query: 'q', ordinal: 0 }, 2)).toArray();
  };
  assert.deepEqual(await read(() => new JsonBytes(Buffer.from('[["1"],["2"]]'))), [[['1'], ['2']]]);
  const isNotFound = (error: unknown) => error instanceof Refusal && error.code === 'not_found';
  const before = () => {
    throw new SpoolGoneError();
  };
  await assert.rejects(read(before), isNotFound);
  await assert.rejects(
    read(() => new JsonStream(Readable.from(gone()), {})),
    isNotFound,
  );
});
