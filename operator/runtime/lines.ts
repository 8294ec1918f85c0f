/** Cuts a stream of bytes into lines. */

const newline = 0x0a;

/**
 * Makes a reader that hands over each line once it is whole, without its line break.
 *
 * @returns what takes the next bytes; a character, and a line, may be spread over several
 */
export function createLineReader(onLine: (line: string) => void): (chunk: Buffer) => void {
  let begun: Buffer[] = [];
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const last = chunk.subarray(from, end);
      from = end + 1;
      const line = begun.length === 0 ? last : Buffer.concat([...begun, last]);
      begun = [];
      if (line.length > 0) onLine(line.toString());
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  };
}
