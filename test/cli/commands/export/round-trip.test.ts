import { testRoundTrip } from './properties.ts';

testRoundTrip(6);
