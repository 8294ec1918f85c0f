/** Hashes passwords on a thread of its own, one after the other and in the order in which they come. */
import { type Argon2Parameters, argon2Sync } from 'node:crypto';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

// Requests come first where cores are few. On Linux this is the priority of the thread; elsewhere it would be the whole service's.
if (process.platform === 'linux') {
  try {
    const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
    setPriority(Math.min(getPriority(process.pid) + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {
    // A sandbox may forbid it. Passwords are hashed all the same.
  }
}

const never = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on('message', (parameters: Argon2Parameters) => {
  const begun = performance.now();
  parentPort?.postMessage(argon2Sync('argon2id', parameters));
  // Rests for as long as it worked: where cores are few, a flood of sign-ins would otherwise keep one from all who are in.
  Atomics.wait(never, 0, 0, performance.now() - begun);
});
