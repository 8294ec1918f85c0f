/** What hashing passwords takes of a machine, and nothing else: one argon2id after the other, on a thread of the service's priority for it. */
import { argon2Sync } from 'node:crypto';
import { constants, setPriority } from 'node:os';

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const parameters = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32, nonce: Buffer.alloc(16), message: 'x' };
process.on('SIGTERM', () => process.exit(0));
process.send?.('burns');

(function burn(): void {
  argon2Sync('argon2id', parameters);
  setImmediate(burn);
})();
