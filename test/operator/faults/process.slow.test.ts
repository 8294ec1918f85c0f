import { after, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { type Cluster, startCluster } from '../support/installation.ts';
import { catalogue } from './catalogue.ts';
import { type Kill, runUndisturbed, surviveKill } from './kill.ts';
import { inProcessOfItsOwn } from './process.ts';

describe('the process of rolecall operator, killed with kill -9 in each transition', requires('kubernetes'), () => {
  let all: Cluster;
  before(async () => {
    all = await startCluster();
  });
  after(() => all.stop());

  for (const [name, transition] of Object.entries(catalogue)) {
    it(`leaves nothing half done, twice or interrupted: ${name}`, async (context) => {
      const expected = await runUndisturbed(all, transition);
      const at = (part: number): number => Math.floor(part * expected.writes);
      const kills: Kill[] = [
        { write: at(Math.random()), side: 'before' },
        { write: at(Math.random()), side: 'after' },
        { afterMs: Math.random() * 10 * expected.writes },
        { afterMs: Math.random() * 10 * expected.writes },
      ];
      for (const kill of kills) {
        await surviveKill(all, transition, expected, kill, inProcessOfItsOwn);
      }
      context.diagnostic(`${kills.length} kills`);
    });
  }
});
