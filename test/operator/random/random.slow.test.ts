import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { startProcess } from '../faults/process.ts';
import { useCluster } from '../support/suite.ts';
import { changeAtRandom, randomSeed } from './random.ts';

const seconds = Number(process.env['ROLECALL_RANDOM_SECONDS'] ?? 600);
const isCareful = process.env['ROLECALL_RANDOM_FREELY'] === undefined;

describe(`objects that change at random for ${seconds} seconds`, requires('kubernetes'), () => {
  const suite = useCluster();

  it('come to what they declare, and leave nothing else, also when the operator is killed and the service fails', async (context) => {
    const workspace = await suite.startWorkspace();
    const seed = randomSeed();
    const start = (namespace: string) => startProcess(suite.all, namespace, ['--no-leader-election']);
    const rounds = await changeAtRandom(suite.all, workspace, start, { seed, seconds, isCareful });
    context.diagnostic(`seed ${seed}: ${rounds} rounds`);
  });
});
