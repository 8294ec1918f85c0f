/** The cells of one row, as the API answers them. */
export type Row = readonly (string | null)[];

/** Bytes of rows that are read at a time: more would keep other requests waiting. */
const pieceBytes = 64 * 1024;

const [quote, backslash, opening, closing] = [0x22, 0x5c, 0x5b, 0x5d];

/**
 * Reads the rows of an answer a few at a time, so that a result of any size takes little memory: no more than its largest
 * row twice.
 *
 * @param json a list of rows as a spool writes it, without blanks between
 */
export async function* readRows(json: AsyncIterable<Buffer>): AsyncGenerator<Row[]> {
  const splitter = new RowSplitter();
  for await (const bytes of json) {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const rows = splitter.push(bytes.subarray(at, at + pieceBytes));
      if (rows.length > 0) yield rows;
    }
  }
}

/** Finds where rows end: at a bracket outside of a text. */
class RowSplitter {
  /** The bytes of a row that has not ended. */
  #rest: Buffer[] = [];
  #inText = false;
  #escaped = false;
  /** 1 within the list, 2 within a row. */
  #depth = 0;

  /** @returns the rows that end in these bytes */
  push(bytes: Buffer): Row[] {
    const end = this.#scan(bytes);
    if (end === 0) {
      this.#rest.push(bytes);
      return [];
    }
    const whole = Buffer.concat([...this.#rest, bytes.subarray(0, end)]).toString();
    this.#rest = [bytes.subarray(end)];
    // Between two rows is a comma, and before the first the bracket of the list.
    return JSON.parse(`[${whole.slice(1)}]`) as Row[];
  }

  /** @returns the position after the last row that ends in these bytes; 0 if none does */
  #scan(bytes: Buffer): number {
    let end = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inText = false;
      } else if (byte === quote) this.#inText = true;
      else if (byte === opening) this.#depth += 1;
      else if (byte === closing) {
        this.#depth -= 1;
        if (this.#depth === 1) end = at + 1;
      }
    }
    return end;
  }
}
