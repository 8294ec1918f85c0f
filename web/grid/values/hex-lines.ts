const perLine = 16;

/**
 * Bytes as lines of their offset, their digits and what of them is ASCII.
 *
 * @param digits hexadecimal, two for each byte
 * @param most how many bytes at most
 */
export function hexLines(digits: string, most: number): string[] {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(digits.length / 2, most); at += perLine) {
    const bytes = digits.slice(at * 2, (at + perLine) * 2).match(/../g) ?? [];
    const text = bytes.map((byte) => printable(Number.parseInt(byte, 16))).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${bytes.join(' ').padEnd(perLine * 3)} ${text}`);
  }
  return lines;
}

function printable(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
}
