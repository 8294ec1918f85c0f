import { testRandomChanges } from './suite.ts';

testRandomChanges(30);
