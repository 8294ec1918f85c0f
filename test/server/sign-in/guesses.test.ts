import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '../../../server/refusal.ts';
import { type Guess, Guesses } from '../../../server/sign-in/guesses.ts';

type Outcome = 'checked' | 'not checked';

/** Guesses with a clock that a test moves, in seconds. */
function setUp() {
  let now = 0;
  let refused = 0;
  const guesses = new Guesses({
    now: () => now * 1000,
    refused: () => {
      refused += 1;
    },
  });
  const attempt = async (guess: Guess, check: () => Promise<unknown>): Promise<Outcome> => {
    try {
      await guesses.attempt(guess, check, () => undefined);
      return 'checked';
    } catch (error) {
      assert.ok(error instanceof Refusal);
      if (error.code !== 'too_many_requests') return 'checked';
      assert.match(String(error.headers['retry-after']), /^[1-9]\d*$/);
      return 'not checked';
    }
  };
  return {
    wrong: (guess: Guess) => attempt(guess, () => Promise.reject(new Refusal('sign_in_refused', 'wrong'))),
    right: (guess: Guess) => attempt(guess, () => Promise.resolve()),
    overloaded: (guess: Guess) => attempt(guess, () => Promise.reject(new Refusal('unavailable', 'too many'))),
    sleep: (seconds: number) => {
      now += seconds;
    },
    refused: () => refused,
  };
}

const guess = (name: string, address: string, more: Partial<Extract<Guess, { name: string }>> = {}): Guess => ({
  what: 'password',
  name,
  address,
  device: undefined,
  ...more,
});
const address = (number: number) =>
  `10.${Math.floor(number / 62_500)}.${Math.floor(number / 250) % 250}.${number % 250}`;

/** How many guesses are checked, until one is not. */
async function countChecked(next: (index: number) => Promise<Outcome>, most = 500): Promise<number> {
  for (let index = 0; index < most; index += 1) if ((await next(index)) === 'not checked') return index;
  return most;
}

describe('wrong guesses', () => {
  it('of one network are a hundred, at whomever, then one a second; other networks are not held up', async () => {
    const { wrong, sleep, refused } = setUp();
    assert.equal(await countChecked((index) => wrong(guess(`p${index}`, '192.0.2.1'))), 100);
    assert.equal(refused(), 1);
    assert.equal(await wrong(guess('ada', '192.0.2.2')), 'checked');
    sleep(10);
    assert.equal(await countChecked((index) => wrong(guess(`q${index}`, '192.0.2.1'))), 10);
  });

  it('of one network are counted by 64 bits of an IPv6 address', async () => {
    const { wrong } = setUp();
    assert.equal(await countChecked((index) => wrong(guess(`p${index}`, `2001:db8:0:1::${index.toString(16)}`))), 100);
    assert.equal(await wrong(guess('ada', '2001:db8:0:2::1')), 'checked');
  });

  it('of one network at one person are ten, then one in 30 seconds', async () => {
    const { wrong, sleep } = setUp();
    assert.equal(await countChecked(() => wrong(guess('ada', '192.0.2.1'))), 10);
    assert.equal(await wrong(guess('ben', '192.0.2.1')), 'checked');
    sleep(60);
    assert.equal(await countChecked(() => wrong(guess('ada', '192.0.2.1'))), 2);
  });

  for (const [what, most, rate] of [
    ['password', 100, 6],
    ['code', 10, 300],
  ] as const) {
    it(`at the ${what} of one person are ${most}, from however many networks, then one in ${rate} seconds`, async () => {
      const { wrong, sleep } = setUp();
      assert.equal(await countChecked((index) => wrong(guess('ada', address(index), { what }))), most);
      assert.equal(await wrong(guess('ben', address(0), { what })), 'checked');
      sleep(rate * 3);
      assert.equal(await countChecked((index) => wrong(guess('ada', address(1000 + index), { what }))), 3);
    });
  }

  it('never keep out a person in a browser that they have signed in with, which has ten of its own', async () => {
    const { wrong, right } = setUp();
    for (let index = 0; index < 2000; index += 1) await wrong(guess('ada', address(index % 600)));
    assert.equal(await right(guess('ada', '192.0.2.9')), 'not checked');
    const own = (device: string) => guess('ada', address(1), { device });
    assert.equal(await right(own('laptop')), 'checked');
    assert.equal(await countChecked(() => wrong(own('laptop'))), 10);
    assert.equal(await right(own('phone')), 'checked', 'nor do those of another browser of theirs');
  });

  it('at a code in a known browser are as rare as elsewhere, after ten', async () => {
    const { wrong, sleep } = setUp();
    const code = guess('ada', address(1), { what: 'code', device: 'laptop' });
    assert.equal(await countChecked(() => wrong(code)), 10);
    sleep(600);
    assert.equal(await countChecked(() => wrong(code)), 2);
  });

  it('that come at once are counted before they are checked', async () => {
    const { wrong } = setUp();
    const all = await Promise.all(Array.from({ length: 40 }, () => wrong(guess('ada', '192.0.2.1'))));
    assert.equal(all.filter((outcome) => outcome === 'checked').length, 10);
  });

  it('alone count: right ones and those that found no place do not', async () => {
    const { right, overloaded, wrong } = setUp();
    for (let index = 0; index < 300; index += 1) {
      assert.equal(await right(guess('ada', '192.0.2.1')), 'checked');
      assert.equal(await overloaded(guess('ada', '192.0.2.1')), 'checked');
    }
    assert.equal(await countChecked(() => wrong(guess('ada', '192.0.2.1'))), 10);
  });

  it('are not forgotten for the names that come after them: those that are not checked push no one out', async () => {
    const { wrong } = setUp();
    assert.equal(await countChecked(() => wrong(guess('ada', '192.0.2.1'))), 10);
    await countChecked((index) => wrong(guess(`p${index}`, '192.0.2.1')));
    for (let index = 0; index < 20_000; index += 1) {
      assert.equal(await wrong(guess(`q${index}`, '192.0.2.1')), 'not checked');
    }
    assert.equal(await wrong(guess('ada', '192.0.2.1')), 'not checked');
  });

  it('are forgotten last: those who have all of theirs again make room', async () => {
    const { wrong, sleep } = setUp();
    const others = async (first: number) => {
      for (let count = 0; count < 6000; count += 1) {
        await wrong(guess(`p${first + count}`, address(100 + first + Math.floor(count / 100))));
      }
    };
    assert.equal(await countChecked(() => wrong(guess('ada', '192.0.2.1'))), 10);
    await others(0);
    // One guess has come back to everyone: to the others, that is all.
    sleep(31);
    await others(6000);
    assert.equal(await countChecked(() => wrong(guess('ada', '192.0.2.1'))), 1);
  });

  it('of callbacks of providers are a hundred for a network', async () => {
    const { wrong } = setUp();
    assert.equal(await countChecked(() => wrong({ what: 'callback', address: '192.0.2.1' })), 100);
    assert.equal(await wrong({ what: 'callback', address: '192.0.2.2' }), 'checked');
  });
});
