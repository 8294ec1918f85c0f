import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const timeLetters = 7; // milliseconds for 111 years
const restLetters = 5;
const restValues = alphabet.length ** restLetters;
const epoch = Date.UTC(2026, 0, 1);

let lastTime = 0;
let rest = 0;

/**
 * A new identifier: 12 letters and digits that sort by the time they were made at, to the millisecond, the later ones
 * random at first and then counted up. An index over them grows at its end, so that a commit has few pages to write:
 * with random ones every new row would touch a page of its own.
 */
export function newId(): string {
  // Never back, even if the clock is: an identifier could come a second time.
  const now = Math.max(Date.now() - epoch, lastTime);
  rest = now === lastTime ? rest + 1 : randomBytes(4).readUInt32LE() % (restValues / 2);
  lastTime = now;
  return letters(now, timeLetters) + letters(rest, restLetters);
}

function letters(value: number, count: number): string {
  let text = '';
  for (let left = value; text.length < count; left = Math.floor(left / alphabet.length)) {
    text = alphabet.charAt(left % alphabet.length) + text;
  }
  return text;
}
