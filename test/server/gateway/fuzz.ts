import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { inUse } from '../../support/memory-in-use.ts';

/** A protocol whose clients say anything. */
export interface Fuzzed {
  /** Logs a client in. @returns its stream, which nothing reads */
  readonly logIn: () => Promise<Duplex>;
  /** What clients say. */
  readonly messages: readonly Buffer[];
  /** Fails if the gateway does not serve an orderly client. */
  readonly check: () => Promise<void>;
}

/** How many clients there are at a time. */
const atATime = 4;

/** How long a client that has left may stay, in milliseconds. */
const longestMs = 20_000;

/** Lets clients say what no client says, for some seconds: the gateway must not fail, hang or grow. */
export async function fuzz({ logIn, messages, check }: Fuzzed, seconds: number): Promise<void> {
  const [begun, end] = [Date.now(), Date.now() + seconds * 1000];
  let [rounds, halfway] = [0, 0];
  const one = async (): Promise<void> => {
    while (Date.now() < end) {
      rounds += 1;
      if (halfway === 0 && Date.now() > begun + seconds * 500) halfway = inUse();
      const stream = await logIn();
      const closed = once(stream, 'close');
      for (let count = randomInt(1, 8); count > 0; count -= 1) stream.write(mutated(messages));
      // Some leave at once, and some without a word.
      if (randomInt(3) > 0) await sleep(randomInt(20));
      if (randomInt(3) > 0) stream.end();
      else stream.destroy();
      await Promise.race([closed, sleep(longestMs).then(() => assert.fail('it hangs'))]);
      if (rounds % 50 === 0) await check();
    }
  };
  await Promise.all(Array.from({ length: atATime }, one));
  await check();
  const grown = (inUse() - halfway) / 1024 / 1024;
  assert.ok(rounds > seconds, `${rounds} clients`);
  assert.ok(grown < 50, `${grown.toFixed(0)} MiB more since the half`);
}

/** A message as it is, cut short, with other bytes in it, twice, or none at all. */
function mutated(messages: readonly Buffer[]): Buffer {
  const message = Buffer.from(messages[randomInt(messages.length)] ?? Buffer.alloc(0));
  switch (randomInt(5)) {
    case 0:
      return message.subarray(0, randomInt(message.length + 1));
    case 1:
      for (let count = randomInt(1, 4); count > 0; count -= 1) message[randomInt(message.length)] = randomInt(256);
      return message;
    case 2:
      return Buffer.concat([message, message]);
    case 3:
      return randomBytes(randomInt(200));
    default:
      return message;
  }
}
