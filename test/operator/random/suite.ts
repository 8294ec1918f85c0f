import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { startProcess } from '../faults/process.ts';
import { useCluster } from '../support/suite.ts';
import { changeAtRandom } from './random.ts';

/** Tests random changes against a real API server, with the seed of `ROLECALL_RANDOM_SEED` or another one each time. */
export function testRandomChanges(seconds: number): void {
  const isCareful = process.env['ROLECALL_RANDOM_FREELY'] === undefined;
  const seed = Number(process.env['ROLECALL_RANDOM_SEED'] ?? Date.now() % 2 ** 31);

  describe(`objects that change at random for ${seconds} seconds`, requires('kubernetes'), () => {
    const suite = useCluster();

    it('come to what they declare, and leave nothing else, also when the operator is killed and the service fails', async (context) => {
      context.diagnostic(`seed ${seed}`);
      const workspace = await suite.startWorkspace();
      const start = (namespace: string) => startProcess(suite.all, namespace, ['--no-leader-election']);
      const rounds = await changeAtRandom(suite.all, workspace, start, { seed, seconds, isCareful });
      context.diagnostic(`${rounds} rounds`);
    });
  });
}
