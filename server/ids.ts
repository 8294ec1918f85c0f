import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const timeLetters = 7; // milliseconds for 111 years
const restLetters = 5;
const restValues = alphabet.length ** restLetters;
const epoch = Date.UTC(2026, 0, 1);

let lastTime = 0;
let rest = 0;

/**
 * A new identifier: 12 letters and digits. The first seven sort by creation time, to the millisecond; the rest start at random
 * and count up. An index over them grows at its end, so a commit writes few pages: with random identifiers, every new row
 * would touch a page of its own.
 */
export function newId(): string {
  // Never goes back, even if the clock does: an identifier could repeat.
  const now = Math.max(Date.now() - epoch, lastTime);
  rest = now === lastTime ? rest + 1 : randomInt(restValues / 2);
  lastTime = now;
  return letters(now, timeLetters) + letters(rest, restLetters);
}

const widestGap = 2 ** 28;

/**
 * Draws the distance from the newest permission to the next one. Permissions are numbered in the order of their creation, and random
 * distances keep the numbers of two stores apart, and those of one store before and after it was restored: a remembered number that
 * is asked of another store would otherwise mean somebody else's permission. Numbers stay exact in JavaScript for 67 million permissions.
 */
export function drawGap(): number {
  return randomInt(1, widestGap);
}

function letters(value: number, count: number): string {
  let text = '';
  for (let left = value; text.length < count; left = Math.floor(left / alphabet.length)) {
    text = alphabet.charAt(left % alphabet.length) + text;
  }
  return text;
}
