/** What each figure is, what it is held to, and what a Go operator took. */

import { changes, deletions, drifted, objects, rate, seconds } from './size.ts';

/** What a Go operator on controller-runtime took for 10,000 Person objects, on another day on a machine of this kind. */
export const go = {
  coldSeconds: 38.8,
  driftSeconds: 1.33,
  newSeconds: 0.75,
  peakMiB: 89,
  burstPerSecond: 230,
  constantP99Ms: 29,
  killedSeconds: 17.1,
  endedSeconds: 1.4,
  deletionSeconds: 4.0,
};

const elsewhere = (figure: number, unit: string): string => `Go, measured elsewhere: ${figure} ${unit}`;

export const notes: Record<string, string> = {
  floorPerSecond: 'writes a second to this API server by node:http2 alone, as many side by side as the operator has',
  coldSeconds: `nothing in the workspace, until all ${objects} are Ready (${elsewhere(go.coldSeconds, 's for 10,000')})`,
  coldToFloor: 'the same ÷ as many bare writes as it takes, two an object',
  coldToGo: 'the same ÷ what the Go operator took elsewhere for as many (at most 1.15, on such a machine)',
  coldCallsRatio: 'calls the service received ÷ the fewest: one an object and one a collection (1.00)',
  coldWritesAnObject: 'what was written to the API server, an object (2)',
  restartDriftSeconds: `settled, until ${drifted} drifted people are corrected (within 3; ${elsewhere(go.driftSeconds, 's')})`,
  restartNewSeconds: `a new object made in the middle of that, until Ready (within 1.5; ${elsewhere(go.newSeconds, 's')})`,
  restartPeakMiB: `the most resident memory (150 at most; ${elsewhere(go.peakMiB, 'MiB')})`,
  restartUnaskedWrites: 'what was written to the API server beyond the new object (0)',
  burstPerSecond: `${changes} changes at once, a second (200 or more; ${elsewhere(go.burstPerSecond, '')})`,
  burstCallsAChange: 'calls of the service a change (1)',
  burstWritesAChange: 'writes to the API server a change (1)',
  constantP99Ms: `${rate} changes a second, from due to observed (under 60; ${elsewhere(go.constantP99Ms, 'ms')})`,
  constantFloorP99Ms: 'the same without an operator: a bare status for each change as soon as a watch tells of it',
  constantToFloor: 'the operator ÷ that',
  settledCalls: `calls of the service in ${seconds} s: one a collection that is in use and pass, one pass a minute`,
  settledRequests:
    'requests to the API server meanwhile: the renewals of the Lease, every 2 s, and watches that are opened anew',
  settledWrites: 'what else was written meanwhile (0)',
  settledCpuSeconds: 'what it computed meanwhile (0.5 at most for a minute)',
  secretSeconds: 'a rotated password, until the service has it, the longest of three (within 2)',
  deletionSeconds: `${deletions} deletions (1,000 within 5; ${elsewhere(go.deletionSeconds, 's')})`,
  deletionCallsRatio: 'calls ÷ the fewest (1.00)',
  permissionP99Ms: `${objects} permissions that begin, evenly within a minute: how late their state says so (within 1,000)`,
  killedSeconds: `the leader killed, until a new object is Ready (within 18; ${elsewhere(go.killedSeconds, 's')})`,
  endedSeconds: `the leader ended in order, until a new object is Ready (within 2; ${elsewhere(go.endedSeconds, 's')})`,
};
