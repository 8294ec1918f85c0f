import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, it } from 'node:test';
import { Refusal } from '../../../server/refusal.ts';
import { PasswordHasher } from '../../../server/sign-in/password-hash.ts';

const password = 'correct horse battery';
const hasher = new PasswordHasher();
after(() => hasher.close());
const hash = await hasher.hash(password, 'a');

async function refused(check: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(check, (error: unknown) => {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, code);
    assert.match(error.headers['retry-after'] ?? '', /^\d+$/);
    return true;
  });
}

it('a password is hashed with argon2id and the cost that OWASP recommends, each time with another salt', async () => {
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(await hasher.hash(password, 'a'), hash);
});

/** Its hashes take no time: what is tested is who waits for whom. */
const queue = new PasswordHasher({ memory: 8, passes: 1 });
after(() => queue.close());
const queued = await queue.hash(password, 'a');

it('one password is hashed at a time, 16 wait, and another one is told to come back, for unknown people too', async () => {
  let ended = 0;
  const checks = Array.from({ length: 17 }, async (_, index) => {
    const right = await queue.verify(password, index % 2 === 0 ? queued : undefined, `network ${index}`);
    assert.equal(ended, index, 'in the order in which they came');
    ended += 1;
    return right;
  });
  await refused(queue.verify('x', undefined, 'another'), 'unavailable');
  await refused(queue.hash('x', 'another'), 'unavailable');
  assert.throws(() => {
    queue.requireRoom('another');
  }, /too many passwords are being checked/);
  const right = await Promise.all(checks);
  assert.deepEqual(
    right,
    right.map((_, index) => index % 2 === 0),
  );
  assert.equal(await queue.verify('wrong', queued, 'another'), false, 'the places are free again');
});

it('one network has half of the places, whatever it sends, so that others find one', async () => {
  const own = Array.from({ length: 8 }, () => queue.verify(password, queued, 'one'));
  await refused(queue.verify(password, queued, 'one'), 'too_many_requests');
  assert.equal(await queue.verify(password, queued, 'two'), true);
  assert.deepEqual(new Set(await Promise.all(own)), new Set([true]));
});

it('the thread that hashes has less priority than the one that answers requests', (context) => {
  if (process.platform !== 'linux') {
    context.skip('needs Linux, where each thread has a priority of its own');
    return;
  }
  // The 19th field; the second may have blanks.
  const niceOf = (thread: string) =>
    Number(
      readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[16],
    );
  const nice = readdirSync('/proc/self/task').map(niceOf);
  assert.equal(niceOf(String(process.pid)) + 10, Math.max(...nice));
});

it('a thread that has ended fails what waits, and another one takes its place', async () => {
  const lost = hasher.verify(password, hash, 'one');
  const ended = hasher.close();
  await assert.rejects(lost, /the thread that hashes passwords has ended/);
  await ended;
  assert.equal(await hasher.verify(password, hash, 'one'), true);
});

it('the thread that hashes rests for as long as it works, so that a flood of sign-ins leaves the cores to others', async () => {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: 4 }, () => hasher.hash(password, 'a')));
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1000 / (performance.now() - begun);
  assert.ok(share < 0.7, `it took ${share.toFixed(2)} of a core`);
});
