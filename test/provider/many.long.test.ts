import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';
import { applyAndPlan } from './support/many.ts';

/** The short form of many.slow.test.ts. */
describe('300 resources, 50 at a time', requires('terraform'), () => {
  it('take one call each, and their refresh one list a collection and one a role', () => applyAndPlan(300));
});
