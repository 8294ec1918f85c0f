import { describe, it } from 'node:test';
import { requires } from '../../../support/databases/parts.ts';
import { surviveOutages } from './outages.ts';

describe('a service whose database is killed under load', requires('postgresql'), () => {
  it('loses nothing that it acknowledged, answers 503 meanwhile, and recovers by itself', () => surviveOutages(6));
});
