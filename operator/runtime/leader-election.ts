/**
 * Leader election by a Lease, by the rules of client-go's tools/leaderelection:
 * - clocks of different machines are never compared: a Lease counts as held for its length from when its last change was
 *   seen here, on a clock that does not jump;
 * - the leader renews every retry period, and stops leading when that did not succeed within the renew deadline, which is
 *   shorter than the Lease by enough for the slower of two clocks;
 * - the others try again after a retry period and a random part of it more.
 * Besides, a process that waits watches the Lease, and takes over as soon as the leader releases it, or it has run out.
 */

import { type Clock, sleep } from './clock.ts';
import { type Handover, type Lease, leasePath } from './lease.ts';
import { LeaseRecord } from './lease-record.ts';
import type { KubeSession } from './session.ts';

export interface LeaderElectionOptions {
  readonly session: Pick<KubeSession, 'request' | 'watch'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly namespace: string;
  readonly name: string;
  /** Different for every process, and for every start of one. */
  readonly identity: string;
  readonly onError: (error: Error) => void;
  /**
   * Called while this process waits, when the leader has not renewed the Lease for so long that it has stopped writing by its own
   * rules, though the Lease has not run out: what is listed from now on is how it left things.
   */
  readonly onSilence?: () => void;
  /** Called once with each leader that this process waits for. */
  readonly onWaiting?: (leader: string) => void;
  /** The time that other processes wait before they take the Lease. */
  readonly leaseMs?: number;
  /** The time for which the leader continues if it cannot renew the Lease. */
  readonly renewMs?: number;
  readonly retryMs?: number;
}

/** The Lease that decides which of several processes leads. */
export type LeadBy = Pick<LeaderElectionOptions, 'namespace' | 'name' | 'onWaiting'>;

/** The defaults of client-go's users: 15, 10 and 2 seconds. */
const defaults = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

/** The random share of a retry period. */
const jitter = 1.2;

export interface Leadership {
  /** Aborted as soon as this process leads no more; from then on nothing may be written. */
  readonly signal: AbortSignal;
  /** True if the last leader was silent, as `onSilence` told, until this process took the Lease. */
  readonly isAfterSilence: boolean;
  /** The versions that the previous leader had seen, if it recorded them when it released the Lease in order. */
  readonly handover: Handover | undefined;
  /**
   * Releases the Lease, so that another process leads at once. Call it when nothing is in flight any more.
   *
   * @param handover the versions that the next leader must have seen; undefined if they are unknown
   */
  readonly release: (handover?: Handover) => Promise<void>;
}

/**
 * Waits until this process leads.
 *
 * @returns undefined when the signal was aborted first
 */
export async function becomeLeader(given: LeaderElectionOptions, signal: AbortSignal): Promise<Leadership | undefined> {
  const options = { ...defaults, ...given };
  if (options.leaseMs <= options.renewMs || options.renewMs <= options.retryMs * jitter) {
    throw new RangeError('the lease must be longer than the renew deadline, and that longer than the retry period');
  }
  const { clock, random, renewMs, retryMs, onSilence, onWaiting } = options;
  // A retry period more, for the slower of two clocks and for writes on their way.
  const silenceMs = renewMs + retryMs;
  const record = new LeaseRecord(options);
  let leader: string | undefined;
  let handedOver: ReturnType<typeof watchForRelease> | undefined;
  try {
    while (!signal.aborted) {
      const attempt = clock.elapsed();
      if (await record.tryAcquire(signal)) return lead(record, options, attempt);
      // It begins with the Lease as it is, so that a release since that attempt is not missed.
      handedOver ??= watchForRelease(
        options,
        (lease) => {
          record.see(lease);
        },
        signal,
      );
      const holder = record.holder;
      if (holder !== undefined && holder !== leader) {
        leader = holder;
        onWaiting?.(holder);
      }
      if (onSilence !== undefined && record.silentIn(silenceMs) === 0) {
        record.noteSilence();
        onSilence();
      }
      const retry = retryMs * (1 + jitter * random());
      // As soon as it has expired; the jitter keeps the waiting processes from asking all at once.
      const runsOut = record.runsOutAt - clock.elapsed() + (retryMs / 10) * random();
      const moments = [retry, runsOut, record.silentIn(silenceMs) ?? retry];
      await handedOver.wait(Math.min(...moments.filter((ms) => ms > 0)));
    }
    return undefined;
  } finally {
    handedOver?.[Symbol.dispose]();
  }
}

type Settled = LeaderElectionOptions & typeof defaults;

/** @param acquiredAt when the attempt began that succeeded: the Lease holds from then, not from its answer */
function lead(record: LeaseRecord, options: Settled, acquiredAt: number): Leadership {
  const { clock, renewMs, retryMs, onError } = options;
  const over = new AbortController();
  const stopRenewing = new AbortController();
  let renewedAt = acquiredAt;
  const lose = (reason: string): void => {
    if (over.signal.aborted) return;
    over.abort(new Error(reason));
    stopRenewing.abort();
  };
  const watchDeadline = (): Disposable =>
    clock.after(Math.max(0, renewedAt + renewMs - clock.elapsed()), () => {
      lose(`the Lease ${options.name} could not be renewed within ${renewMs / 1000} s`);
    });
  let deadline = watchDeadline();
  const renewing = (async () => {
    while (await sleep(clock, retryMs, stopRenewing.signal)) {
      const attempt = clock.elapsed();
      try {
        const held = await record.tryAcquire(stopRenewing.signal);
        if (stopRenewing.signal.aborted) return;
        if (!held) {
          lose(`another process holds the Lease ${options.name}`);
          return;
        }
        renewedAt = attempt;
        deadline[Symbol.dispose]();
        deadline = watchDeadline();
      } catch (error) {
        if (!stopRenewing.signal.aborted) onError(error instanceof Error ? error : new Error(String(error)));
      }
    }
  })();
  return {
    signal: over.signal,
    isAfterSilence: record.taken.isAfterSilence,
    handover: record.taken.handover,
    release: async (handover) => {
      const held = !over.signal.aborted;
      stopRenewing.abort();
      deadline[Symbol.dispose]();
      await renewing;
      over.abort(new Error('the Lease was released'));
      if (held) await record.release(handover);
    },
  };
}

/** Watches the Lease for its release. Where the watch fails, the retry period finds it. */
function watchForRelease(
  { session, clock, namespace, name, retryMs }: Settled,
  see: (lease: Lease) => void,
  signal: AbortSignal,
): Disposable & { readonly wait: (ms: number) => Promise<void> } {
  const stopped = new AbortController();
  const either = AbortSignal.any([signal, stopped.signal]);
  let released = new AbortController();
  const query = new URLSearchParams({ watch: '1', fieldSelector: `metadata.name=${name}`, timeoutSeconds: '300' });
  void (async () => {
    do {
      try {
        await session.watch(
          `${leasePath(namespace)}?${query.toString()}`,
          (event) => {
            const { type, object } = event as { type: string; object: Partial<Lease> };
            if ((type === 'ADDED' || type === 'MODIFIED') && object.spec !== undefined) see(object as Lease);
            if (type === 'DELETED' || (object.spec?.holderIdentity ?? '') === '') released.abort();
          },
          either,
        );
      } catch {
        // A process that waits reads the Lease itself too, watched or not.
      }
    } while (await sleep(clock, retryMs, either));
  })();
  return {
    wait: async (ms) => {
      // A release that came between two waits counts too, once.
      await sleep(clock, ms, AbortSignal.any([either, released.signal]));
      if (released.signal.aborted) released = new AbortController();
    },
    [Symbol.dispose]: () => {
      stopped.abort();
    },
  };
}
