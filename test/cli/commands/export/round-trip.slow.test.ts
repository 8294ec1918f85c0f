import { testRoundTrip } from './properties.ts';

testRoundTrip(100);
