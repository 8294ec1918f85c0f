import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { JsonBytes, JsonStream } from '../../json-answer.ts';
import type { Send } from '../../store/postgresql/executor.ts';
import { statement } from '../../store/statement.ts';
import type { Executor } from '../../store/store.ts';
import { largestPiece, type Page, type ResultId, SpoolGoneError } from '../spool.ts';
import { entryBytes } from './writer.ts';

/** A range of consecutive chunks: from `start` in the first to `end` in the last, with the commas between chunks. */
interface Piece {
  readonly first: number;
  readonly last: number;
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

type Bounds = { firstRow: number; numRows: number; bytes: number; before: Uint8Array | null; last: Uint8Array | null };

/** The chunks of the rows from `seek` until before `end`, and the bounds of those rows in the first and last chunk. */
const bounds = statement<{ query: string; ordinal: number; seek: number; end: number }>()(
  (db, { query, ordinal, seek, end }) =>
    db
      .selectFrom('query_rows')
      .select([
        'first_row as firstRow',
        'num_rows as numRows',
        sql<number>`octet_length(rows)`.as('bytes'),
        sql<Uint8Array | null>`case when first_row < ${seek}::bigint
          then substring(ends from ((${seek}::bigint - first_row - 1) * ${entryBytes}::bigint + 1)::int for ${entryBytes}::int)
          end`.as('before'),
        sql<Uint8Array | null>`case when first_row + num_rows > ${end}::bigint
          then substring(ends from ((${end}::bigint - first_row - 1) * ${entryBytes}::bigint + 1)::int for ${entryBytes}::int)
          end`.as('last'),
      ])
      .where('query_id', '=', query)
      .where('ordinal', '=', ordinal)
      .where('first_row', '<', end)
      .where('first_row', '>=', (eb) =>
        eb
          .selectFrom('query_rows')
          .select((select) => select.fn.max('first_row').as('first'))
          .where('query_id', '=', query)
          .where('ordinal', '=', ordinal)
          .where('first_row', '<=', seek),
      )
      .orderBy('first_row'),
);

/**
 * Reads a page. One statement finds its chunks and bounds by the index, then one statement for each megabyte reads the bytes.
 *
 * @throws SpoolGoneError
 */
export async function readPage(
  executor: Executor,
  send: Send,
  { query, ordinal }: ResultId,
  { seek, limit, numRows }: Page,
): Promise<JsonBytes | JsonStream> {
  const end = Math.min(seek + limit, numRows);
  const chunks = await executor.all(bounds, { query, ordinal, seek, end });
  requireAll(chunks, seek, end);
  const pieces = toPieces(chunks);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0) + (pieces.length - 1) + 2;
  const read = (piece: Piece) => readPiece(send, { query, ordinal }, piece);
  const stream = Readable.from(answer(pieces, read), { objectMode: false });
  if (pieces.length > 1) return new JsonStream(stream, { length });
  return new JsonBytes(Buffer.concat((await stream.toArray()) as Buffer[]));
}

/** Rows may have been removed, even in part, since they were counted. */
function requireAll(chunks: readonly Bounds[], seek: number, end: number): void {
  let next = chunks[0]?.firstRow ?? Infinity;
  if (next > seek) throw new SpoolGoneError();
  for (const { firstRow, numRows } of chunks) {
    if (firstRow !== next) throw new SpoolGoneError();
    next += numRows;
  }
  if (next < end) throw new SpoolGoneError();
}

/** Joins small chunks, so that one statement reads them together. */
function toPieces(chunks: readonly Bounds[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { firstRow, bytes, before, last } of chunks) {
    const start = before === null ? 0 : readEntry(before) + 1;
    const end = last === null ? bytes : readEntry(last);
    const [open] = pieces.slice(-1);
    if (open !== undefined && open.length + end <= largestPiece) {
      pieces[pieces.length - 1] = { ...open, last: firstRow, end, length: open.length + 1 + end };
    } else pieces.push({ first: firstRow, last: firstRow, start, end, length: end - start });
  }
  return pieces;
}

function readEntry(entry: Uint8Array): number {
  return Buffer.from(entry).readUInt32LE();
}

async function* answer(
  pieces: readonly Piece[],
  read: (piece: Piece) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield Buffer.from('[');
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) yield Buffer.from(',');
    yield* read(piece);
  }
  yield Buffer.from(']');
}

const bytesOf = `
  select substring(rows
    from (case when first_row = $3 then $5 else 0 end + 1)::int
    for (case when first_row = $4 then $6 else octet_length(rows) end - case when first_row = $3 then $5 else 0 end)::int)
  from query_rows where query_id = $1 and ordinal = $2 and first_row between $3 and $4 order by first_row`;

const comma = Buffer.from(',');

/** A single chunk may be one row of many megabytes, which is read in parts. */
async function* readPiece(send: Send, { query, ordinal }: ResultId, piece: Piece): AsyncGenerator<Buffer> {
  const { first, last, start, end, length } = piece;
  const whole = first < last || length <= largestPiece;
  // With several chunks, the end is in another chunk than the start, and may be the smaller number.
  const cuts = whole
    ? [start]
    : Array.from({ length: Math.ceil(length / largestPiece) }, (_, cut) => start + cut * largestPiece);
  for (const from of cuts) {
    const to = whole ? end : Math.min(from + largestPiece, end);
    const values = [query, ordinal, first, last, from, to];
    // Whole rows are valid UTF-8, which the driver reads in half the bytes; a part may end within a character.
    const name = whole ? 'rolecall_rows' : 'rolecall_part';
    const { rows } = await send({ name, text: bytesOf, values, binary: whole, rowMode: 'array' });
    const parts = (rows as [string | Buffer][]).map(([bytes]) =>
      typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
    );
    const bytes = Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part])));
    if (bytes.length !== (whole ? length : to - from)) throw new SpoolGoneError();
    yield bytes;
  }
}
