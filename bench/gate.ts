import { measureBefore } from './gate/before.ts';
import { measureDecisions } from './gate/decisions.ts';
import { measureEnds } from './gate/ends.ts';
import { measureSignIn } from './gate/sign-in.ts';
import type { Report } from './report/report.ts';

/**
 * People at the gate: the cost of a decision in a large store, how late statements end, how much sign-ins slow down people who
 * are signed in, and the cost of all this to the administrative API.
 */
export async function run(): Promise<Report> {
  const decisions = await measureDecisions();
  const ends = await measureEnds();
  const figures = { ...decisions, ...ends, ...(await measureSignIn()), ...(await measureBefore()) };
  return {
    name: 'gate',
    figures,
    notes: {
      grants: 'permissions and memberships of 10,000 people in 1,000 data sources and 500 roles, on SQLite',
      decisionCpuMicros: 'CPU of one decision, its reading of the store included',
      decisionToReadRatio: 'CPU of one decision ÷ CPU of reading one person by id',
      accessListCpuMicros: 'CPU of one list of all that a person reaches',
      ends: 'statements on PostgreSQL, each in a permission with an end of its own, at two replicas over PostgreSQL; the store stands still for 10 s in the middle',
      endsRefused: 'beyond them, statements that did not begin: the store stood still, or the machine is busy',
      endsOnTime: 'of them, gone from pg_stat_activity within 1.0 s of their end',
      endsEarly: 'of them, gone before their end',
      endsLateP50Ms: 'from the end of the permission until the statement was gone, as a look every 20 ms saw it',
      endsLateMaxMs: 'the same, of the latest',
      apiWithPassagesRatio: 'requests a second with an API key while 200 statements of people run ÷ the same with none',
      stormP99Ratio:
        '99th percentile of other requests while 100 sign-ins a second are tried with the right password ÷ the same without them',
      idleP99Ms: 'of that, without them',
      floorStormP99Ratio:
        'the same of a Fastify server that does nothing, with a process beside it that hashes passwords at the same priority',
      floorIdleP99Ms: 'of that, without them',
      stormEventLoopP99Ms: "the service's event loop delay meanwhile",
      stormPasswordsPerSecond: 'sign-ins that got through meanwhile; the others were asked to come back later',
      oidcCallbacksPerSecond:
        'browsers that come back from an OpenID provider and are in; the provider, a process of its own, has signed the tokens beforehand',
      oidcCallbackCpuMs: 'CPU time of the service for each of them',
      beforeGetPersonRatio:
        'GET one person: requests for the same CPU time of the service ÷ the same at the commit before people came in; the median over all turns of eight pairs of processes',
      beforeListPeopleRatio: 'the same for GET 1,000 people',
      beforePostPersonRatio: 'the same for POST a person',
    },
    bounds: {
      decisionCpuMicros: ['at most', 50],
      endsRefused: ['at most', 50],
      endsOnTime: ['at least', ends['ends'] ?? 0],
      endsEarly: ['at most', 0],
      apiWithPassagesRatio: ['at least', 0.95],
      stormP99Ratio: ['at most', 2],
      stormEventLoopP99Ms: ['at most', 50],
      oidcCallbacksPerSecond: ['at least', 200],
      beforeGetPersonRatio: ['at least', 0.95],
      beforeListPeopleRatio: ['at least', 0.95],
      beforePostPersonRatio: ['at least', 0.95],
    },
  };
}
