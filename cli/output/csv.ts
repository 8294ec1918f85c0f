/**
 * A table as RFC 4180 has it, with a heading. A cell that a spreadsheet would take for a formula gets an apostrophe in
 * front, as names come from people (OWASP, CSV injection).
 */
export function toCsv(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headings, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
