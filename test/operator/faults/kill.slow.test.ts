import { after, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { type Cluster, startCluster } from '../support/installation.ts';
import { catalogue } from './catalogue.ts';
import { runUndisturbed, surviveKill } from './kill.ts';

describe('an operator that is killed at any of its writes', requires('kubernetes'), () => {
  let all: Cluster;
  before(async () => {
    all = await startCluster();
  });
  after(() => all.stop());

  for (const [name, transition] of Object.entries(catalogue)) {
    it(`leaves nothing half done, twice or interrupted: ${name}`, async (context) => {
      const expected = await runUndisturbed(all, transition);
      for (let write = 0; write < expected.writes; write += 1) {
        for (const side of ['before', 'after'] as const) {
          await surviveKill(all, transition, expected, { write, side });
        }
      }
      context.diagnostic(`${expected.writes * 2} kills`);
    });
  }
});
