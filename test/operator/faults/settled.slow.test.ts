import { after, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { staySettled } from './settled.ts';

describe('an operator with nothing to do', requires('kubernetes'), () => {
  let all: Installation;
  before(async () => {
    all = await startInstallation();
  });
  after(() => all.stop());

  it('writes nothing, and reads each collection once a minute, for 24 simulated hours', async () => {
    await staySettled(all, 24, 60_000);
  });
});
