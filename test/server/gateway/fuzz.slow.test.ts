import { describeFuzz } from './fuzzed.ts';

describeFuzz(600);
