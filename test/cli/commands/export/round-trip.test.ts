import { testRoundTrip } from './properties.ts';

testRoundTrip(3);
