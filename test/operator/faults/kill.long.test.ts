import { after, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { type Cluster, startCluster } from '../support/installation.ts';
import { catalogue } from './catalogue.ts';
import { runUndisturbed, surviveKill } from './kill.ts';

/** Of each way to change something, one; kill.slow.test.ts has all of them, and every write. */
const some = [
  'everything is created',
  'everything is adopted',
  'a role is renamed',
  'the window of a permission is changed',
  'a password is rotated',
  'a data source gets another alias',
  'everything is deleted, with the Workspace',
];

describe('an operator that is killed in the middle', requires('kubernetes'), () => {
  let all: Cluster;
  before(async () => {
    all = await startCluster();
  });
  after(() => all.stop());

  for (const name of some) {
    it(`leaves nothing half done, twice or interrupted: ${name}`, async () => {
      const transition = catalogue[name]!;
      const expected = await runUndisturbed(all, transition);
      const write = Math.floor(expected.writes / 2);
      for (const side of ['before', 'after'] as const) {
        await surviveKill(all, transition, expected, { write, side });
      }
    });
  }
});
