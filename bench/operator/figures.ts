/** The meaning and the target of each figure, and which ones have a counterpart of the Go operator. */

import { availableParallelism } from 'node:os';
import type { Bound } from '../report/bound.ts';
import { round } from '../report/report.ts';
import { changes, deletions, drifted, few, fewDeletions, objects, rate, seconds } from './size.ts';

/** The floors that are the same with few objects and with many. */
const floors: Readonly<Record<string, Bound>> = {
  coldSeconds: ['at most', 1],
  restartDriftSeconds: ['at most', 1.3],
  deletionSeconds: ['at most', 1],
};

const capital = (figure: string): string => `${(figure[0] ?? '').toUpperCase()}${figure.slice(1)}`;

/** The name of a figure that was measured with few objects. */
const nameOfFew = (figure: string): string => `few${capital(figure)}`;

/** The figures measured with few objects that are kept, under names of their own. */
export function ofFew(figures: Readonly<Record<string, number>>): Record<string, number> {
  const kept = [...Object.keys(floors), 'coldCpuSeconds', 'restartCpuSeconds'];
  return Object.fromEntries(kept.map((figure) => [nameOfFew(figure), figures[figure] ?? Number.NaN]));
}

/**
 * The figures compared with the Go operator, and their target ratios. Latency has no target, because a plan of the whole workspace
 * serves all changes of a moment. Nor has computing, which a busy machine changes least: it says where the time went.
 */
const compared: Readonly<Record<string, Bound | undefined>> = {
  ...floors,
  ...Object.fromEntries(Object.entries(floors).map(([figure, floor]) => [nameOfFew(figure), floor])),
  coldCpuSeconds: undefined,
  restartCpuSeconds: undefined,
  fewColdCpuSeconds: undefined,
  fewRestartCpuSeconds: undefined,
  restartReads: undefined,
  restartNewSeconds: ['at most', 1],
  restartPeakMiB: ['at most', 1.25],
  burstPerSecond: ['at least', 1],
  constantP99Ms: undefined,
  settledCpuSeconds: ['at most', 3.8],
  killedSeconds: ['at most', 1.05],
  endedSeconds: ['at most', 1.4],
};

/** The name of the Go operator's figure, and of ours as a ratio of it. */
const besideOf = (figure: string) => ({
  go: `go${capital(figure)}`,
  toGo: `${figure}ToGo`,
});

/** The Go operator's own figures and ours as a ratio of them; nothing where it was not measured. */
export function besidePeer(
  ours: Readonly<Record<string, number>>,
  theirs: Readonly<Record<string, number>> | undefined,
): Record<string, number> {
  if (theirs === undefined) return {};
  const leastSeconds = (ours['coldOthersCpuSeconds'] ?? Number.NaN) / availableParallelism();
  const beside = Object.fromEntries(
    Object.keys(compared).flatMap((figure) => {
      const [mine = Number.NaN, other = Number.NaN] = [ours[figure], theirs[figure]];
      const { go, toGo } = besideOf(figure);
      return [
        [go, other],
        [toGo, round(mine / other)],
      ];
    }),
  );
  return { ...beside, coldLeastToGo: round(leastSeconds / (theirs['coldSeconds'] ?? Number.NaN)) };
}

const ratios = Object.keys(compared).flatMap((figure): [string, string][] => {
  const { go, toGo } = besideOf(figure);
  return [
    [go, 'the Go operator in the same run'],
    [toGo, 'the operator ÷ that'],
  ];
});

export const notes: Readonly<Record<string, string>> = {
  floorPerSecond: 'writes a second to this API server by node:http2 alone, as many side by side as the operator has',
  coldSeconds: `nothing in the workspace, until all ${objects} are Ready`,
  coldOthersCpuSeconds: 'what the rest of the machine computed meanwhile: API server, service and this benchmark',
  coldLeastToGo: 'coldOthersCpuSeconds on all cores, as if the operator computed nothing, ÷ the Go operator',
  coldToFloor: 'the same ÷ as many bare writes as it takes, two an object',
  coldCallsRatio: 'calls the service received ÷ the fewest: one an object and one a collection',
  coldWritesAnObject: 'what was written to the API server, an object',
  restartDriftSeconds: `settled, from the start until ${drifted} drifted people are corrected`,
  restartNewSeconds: 'a new object made in the middle of that, until Ready',
  restartPeakMiB: 'the most resident memory, of the bundle and with the flags and variables that it has in a pod',
  restartUnaskedWrites: 'what was written to the API server beyond the new object and Events',
  restartEvents: 'Events, one for each person who was corrected',
  restartReads: 'what was read from the API server: a list and a watch of each kind and of the Secret, and the Lease',
  fewColdSeconds: `the same as without “few”, with ${few} objects`,
  fewRestartDriftSeconds: `with ${few} objects`,
  fewDeletionSeconds: `${fewDeletions} deletions of ${few} objects`,
  fewColdCpuSeconds: `with ${few} objects`,
  fewRestartCpuSeconds: `with ${few} objects`,
  burstPerSecond: `${changes} changes at once, a second`,
  burstCallsAChange: 'calls of the service a change',
  burstWritesAChange: 'writes to the API server a change',
  constantP99Ms: `${rate} changes a second, from due to observed`,
  constantFloorP99Ms: 'the same without an operator: a bare status for each change as soon as a watch tells of it',
  constantToFloor: 'the operator ÷ that',
  settledCalls: `calls of the service in ${seconds} s: one a collection that is in use and pass, one pass a minute`,
  settledRequests:
    'requests to the API server meanwhile: the renewals of the Lease, every 2 s, and watches that are opened anew',
  settledWrites: 'what else was written meanwhile',
  settledCpuSeconds: 'what it computed meanwhile',
  secretSeconds: 'a rotated password, until the service has it, the longest of three',
  deletionSeconds: `${deletions} deletions`,
  deletionCallsRatio: 'calls ÷ the fewest',
  deletionWritesAnObject: 'what was written to the API server, an object',
  permissionP99Ms: `${objects} permissions that begin, evenly within a minute: how late their state says so`,
  killedSeconds: 'the leader killed, until a new object is Ready',
  endedSeconds: 'the leader ended in order, until a new object is Ready: the median of three',
  ...Object.fromEntries(ratios),
};

export const bounds: Readonly<Record<string, Bound>> = {
  coldCallsRatio: ['under', 1.005],
  coldWritesAnObject: ['exactly', 2],
  restartDriftSeconds: ['at most', 3],
  restartNewSeconds: ['at most', 1.5],
  restartPeakMiB: ['at most', 150],
  restartUnaskedWrites: ['exactly', 0],
  restartEvents: ['exactly', drifted],
  restartReads: ['at most', 17],
  burstPerSecond: ['at least', 200],
  burstCallsAChange: ['exactly', 1],
  burstWritesAChange: ['exactly', 1],
  constantP99Ms: ['at most', 1000],
  settledWrites: ['exactly', 0],
  settledCpuSeconds: ['at most', 0.5],
  secretSeconds: ['at most', 2],
  deletionSeconds: ['at most', 5],
  deletionCallsRatio: ['under', 1.005],
  deletionWritesAnObject: ['at most', 1.01],
  permissionP99Ms: ['at most', 1000],
  killedSeconds: ['at most', 18],
  endedSeconds: ['at most', 2],
  ...Object.fromEntries(
    Object.entries(compared).flatMap(([figure, asked]) =>
      asked === undefined ? [] : [[besideOf(figure).toGo, asked]],
    ),
  ),
};
