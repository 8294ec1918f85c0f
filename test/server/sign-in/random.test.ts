import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newRecoveryCodes } from '../../../server/sign-in/recovery-codes.ts';
import { newSecretToken } from '../../../server/sign-in/secret-token.ts';
import { newTotpSeed } from '../../../server/sign-in/totp.ts';

const many = 2000;

/** Fails unless all differ, and each place of a text takes every letter that it may. */
function assertRandom(texts: readonly string[], form: RegExp, letters: number): void {
  assert.equal(new Set(texts).size, texts.length);
  for (const text of texts) assert.match(text, form);
  const places = Array.from({ length: texts[0]?.length ?? 0 }, (_, at) => new Set(texts.map((text) => text[at])).size);
  // The last letter of base64 carries fewer bits.
  for (const size of places.slice(0, -1)) assert.equal(size, letters, `${size} letters`);
}

it('tokens of sessions and links are 256 random bits, and the store has their hash alone', () => {
  const tokens = Array.from({ length: many }, () => newSecretToken('x_'));
  assertRandom(
    tokens.map(({ token }) => token.slice(2)),
    /^[\w-]{43}$/,
    64,
  );
  assert.equal(new Set(tokens.map(({ hash }) => hash.toString('hex'))).size, many);
});

it('recovery codes are 120 random bits each, and seeds of authenticator apps 160', () => {
  const codes = Array.from({ length: many / 10 }, newRecoveryCodes);
  assert.ok(codes.every(({ length }) => length === 10));
  assertRandom(
    codes.flat().map((code) => code.replaceAll('-', '')),
    /^[A-Z2-7]{24}$/,
    32,
  );
  assertRandom(Array.from({ length: many }, newTotpSeed), /^[A-Z2-7]{32}$/, 32);
});
