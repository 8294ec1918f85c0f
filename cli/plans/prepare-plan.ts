import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type CallReport, type Client, longestManager } from '@rolecall/api';
import {
  type Baseline,
  createView,
  describeAccess,
  findUndeclared,
  makePlanWithClaims,
  managerOf,
  type Plan,
  type Step,
  type Surroundings,
  takeBaseline,
} from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import type { Declared } from '../definitions/declared.ts';
import { fitOrigin } from '../definitions/origin.ts';
import { CliError } from '../errors.ts';
import { showReading } from '../output/progress.ts';
import { type Interrupts, orInterrupted } from '../process/interrupts.ts';
import type { WorkspaceFlags } from '../workspace/connection.ts';
import type { RunLease } from '../workspace/lease.ts';
import { openClient } from '../workspace/open-client.ts';
import { failIfEnded } from './fail-if-ended.ts';
import { ServiceTime } from './service-time.ts';

export interface PlanFlags extends WorkspaceFlags {
  /** Tokens of the rails to override. */
  override?: string[];
  concurrency?: number;
  /** Reads all of the workspace, to list undeclared objects. */
  undeclared?: true;
}

/** A plan, and everything needed to run it. Disposing releases the lease and closes the client. */
export interface Prepared extends AsyncDisposable {
  plan: Plan;
  client: Client;
  /** Held since before the workspace was read, if at all. */
  lease: RunLease | undefined;
  resolveSecret: Surroundings['resolveSecret'];
  /** Reads the workspace again; rejects when the plan would be different now. */
  failIfMoved: () => Promise<void>;
}

/** Purpose of a plan. */
export interface Purpose {
  /** True if the plan will be reviewed: it then lists who gains and loses access, which may need more requests. */
  isReviewed: boolean;
  /** True if the plan is to run at once. */
  isRun: boolean;
  /** Absent: no lease is taken. */
  hold?: Hold | undefined;
}

/** Takes the lease on the workspace before it is read. */
export type Hold = (client: Client) => Promise<RunLease | undefined>;

/** A new plan. */
export interface Made extends Prepared {
  /** The fingerprints of the objects that it was made from. */
  takeBaseline: () => Baseline;
}

/**
 * Plans; nothing is written.
 *
 * @throws the client's errors when the workspace cannot be read, InterruptedError at Ctrl-C
 */
export async function preparePlan(
  { workspace, state, origin, resolveSecret, connection }: Declared,
  flags: PlanFlags,
  context: Context,
  { abandon }: Pick<Interrupts, 'abandon'>,
  { isReviewed, isRun, hold }: Purpose,
): Promise<Made> {
  using reading = showReading(context);
  const set = workspace && (workspace.spec.set ?? workspace.metadata.name);
  const manager = managerName(set);
  const clock = new ServiceTime();
  const onCall = (report: CallReport): void => {
    reading.count();
    clock.heard(report);
  };
  await using held = new AsyncDisposableStack();
  const client = held.use(openClient(connection, flags.concurrency, abandon, context, { onCall, manager }));
  const options = {
    workspace: { url: connection.url, ...(workspace === undefined ? {} : { name: workspace.metadata.name }) },
    overrides: flags.override ?? [],
    manager: {
      ...managerOf(manager, client),
      ...(set && { set: { fit: (remembered?: string) => fitOrigin(origin, set, remembered), isPreview: !isRun } }),
    },
    resolveSecret,
    // Fingerprints are comparable within one run only.
    salt: randomBytes(16).toString('hex'),
  };
  const makeAt = async (now: Date) => {
    const view = createView(client, { isWhole: true });
    return { view, now, ...(await orInterrupted(makePlanWithClaims(state, view, { ...options, now }), abandon)) };
  };
  const lease = held.use(await hold?.(client));
  const first = await makeAt(clock.now());
  const { plan: made, claimed, view, readings, now } = clock.isOff() ? await makeAt(clock.now()) : first;
  clock.warn(context.output);
  const compared = { objects: state.objects, claimed, steps: made.steps };
  const undeclared = await orInterrupted(findUndeclared(compared, view, now, flags.undeclared === true), abandon);
  const store = client.store();
  const counted = { ...made, undeclared, workspace: { ...made.workspace, ...(store === undefined ? {} : { store }) } };
  const plan = isReviewed ? await orInterrupted(describeAccess(counted, view, now), abandon) : counted;
  const failIfMoved = async (): Promise<void> => {
    failIfEnded(plan, 'this plan', 'Run apply again and review the new plan.');
    // By the same clock, so that two plans differ only where the workspace does.
    failIfOther(plan, (await makeAt(now)).plan);
  };
  return {
    ...{ plan, client, lease, resolveSecret, failIfMoved },
    // The baseline is without what was read only to judge or describe the plan: no step depends on it.
    takeBaseline: () => takeBaseline(readings),
    ...disposing(held.move()),
  };
}

/** Hands what is held over to the caller, who disposes it. */
export function disposing(held: AsyncDisposableStack): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** Names the command line to the service, by the name of the set of definitions. */
export const managerName = (set: string | undefined): string =>
  set === undefined ? 'rolecall' : shortened(`rolecall/${set}`);

/** A name that fits the header: two long ones that differ at their ends stay two. */
function shortened(name: string): string {
  if (name.length <= longestManager) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${name.slice(0, longestManager - digest.length - 1)}-${digest}`;
}

/** @throws CliError when another plan would be made now. The order in which a list came makes no difference. */
function failIfOther(reviewed: Plan, plan: Plan): void {
  if (reviewed.digest === plan.digest && isDeepStrictEqual(sorted(reviewed.steps), sorted(plan.steps))) return;
  throw new CliError(
    'ERR_PLAN_OUTDATED',
    'the workspace has changed since this plan was made, so a different plan than the reviewed one would run. Nothing was written. Run apply again and review the new plan',
  );
}

function sorted(steps: readonly Step[]): Step[] {
  return steps.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
