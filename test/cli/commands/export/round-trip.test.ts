import { propertyRuns } from '../../../support/property-runs.ts';
import { testRoundTrip } from './properties.ts';

testRoundTrip(propertyRuns({ quick: 1, all: 3 }));
