import { after, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { type Cluster, startCluster } from '../support/installation.ts';
import { catalogue } from './catalogue.ts';
import { type Kill, runUndisturbed, surviveKill } from './kill.ts';
import { inProcessOfItsOwn } from './process.ts';

/** Six kills; process.slow.test.ts has more. */
const some: Readonly<Record<string, (writes: number) => readonly Kill[]>> = {
  'everything is created': (writes) => [
    { write: Math.floor(writes / 3), side: 'before' },
    { write: Math.floor((2 * writes) / 3), side: 'after' },
    { afterMs: Math.random() * 200 },
  ],
  'a role is renamed': (writes) => [{ write: Math.floor(writes / 2), side: 'after' }, { afterMs: Math.random() * 100 }],
  'what no one declares is removed': () => [{ write: 1, side: 'after' }],
};

describe('the process of rolecall operator, killed with kill -9', requires('kubernetes'), () => {
  let all: Cluster;
  before(async () => {
    all = await startCluster();
  });
  after(() => all.stop());

  for (const [name, killsOf] of Object.entries(some)) {
    it(`leaves nothing half done, twice or interrupted: ${name}`, async () => {
      const transition = catalogue[name]!;
      const expected = await runUndisturbed(all, transition);
      for (const kill of killsOf(expected.writes)) {
        await surviveKill(all, transition, expected, kill, inProcessOfItsOwn);
      }
    });
  }
});
