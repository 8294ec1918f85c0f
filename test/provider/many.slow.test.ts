import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';
import { applyAndPlan } from './support/many.ts';

describe('5,000 resources, 50 at a time', requires('terraform'), () => {
  it('take one call each, and their refresh one list a collection and one a role', () => applyAndPlan(5000));
});
