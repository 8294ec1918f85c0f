import { describeFuzz } from './fuzzed.ts';

describeFuzz(10);
