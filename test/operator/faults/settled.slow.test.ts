import { after, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { type Cluster, startCluster } from '../support/installation.ts';
import { staySettled } from './settled.ts';

describe('an operator with nothing to do', requires('kubernetes'), () => {
  let all: Cluster;
  before(async () => {
    all = await startCluster();
  });
  after(() => all.stop());

  it('writes nothing, and reads the workspace once a minute, for 24 simulated hours', async () => {
    await staySettled(all, 24, 60_000);
  });
});
