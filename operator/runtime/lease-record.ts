/** What one process knows of a Lease: whether it may take it, and what it writes when it takes, renews or gives it back. */

import type { Clock } from './clock.ts';
import { isStatus } from './errors.ts';
import {
  type Handover,
  handoverAnnotations,
  handoverOf,
  type Lease,
  type LeaseSpec,
  leasePath,
  microTime,
} from './lease.ts';
import { isOlderVersion } from './resource-version.ts';
import type { KubeSession } from './session.ts';

interface Taken {
  readonly handover: Handover | undefined;
  readonly isAfterSilence: boolean;
}

/** A Lease as one process sees and writes it. */
export interface LeaseRecord {
  /**
   * Takes or renews the Lease, where nobody else holds it.
   *
   * @returns whether it is ours now
   * @throws where the server could not be asked, when renewing
   */
  readonly tryAcquire: (signal: AbortSignal) => Promise<boolean>;
  readonly release: (handover?: Handover) => Promise<void>;
  /** What the Lease said when it was taken, and whether its holder was silent. */
  readonly taken: () => Taken;
  /**
   * When its holder will not have renewed the Lease for so long, both in milliseconds; undefined where that was noted already, or
   * nobody else holds it.
   */
  readonly silentIn: (afterMs: number) => number | undefined;
  /** Notes that its holder is silent, until it changes the Lease. */
  readonly noteSilence: () => void;
  /** Who else holds it, as far as is known here. */
  readonly holder: () => string | undefined;
  /** Takes a Lease that a watch told of: the sooner its changes are seen, the sooner it is known to have run out. */
  readonly see: (lease: Lease) => void;
  /** When it runs out for all that was seen here, by the clock that does not jump. */
  readonly runsOutAt: () => number;
}

export interface LeaseRecordOptions {
  readonly session: KubeSession;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseMs: number;
  readonly onError: (error: Error) => void;
}

export function createLeaseRecord(options: LeaseRecordOptions): LeaseRecord {
  const { session, clock, namespace, name, identity, leaseMs, onError } = options;
  let known: Lease | undefined;
  /** When the last change of the Lease was seen here. */
  let seenAt = 0;
  /** The change of the Lease after which its holder was silent. */
  let silentSince: number | undefined;
  let taken: Taken = { handover: undefined, isAfterSilence: false };

  function see(lease: Lease): void {
    // A watch may tell late what an answer told before.
    if (isOlderVersion(lease.metadata.resourceVersion, known?.metadata.resourceVersion)) return;
    if (known === undefined || JSON.stringify(known.spec) !== JSON.stringify(lease.spec)) seenAt = clock.elapsed();
    known = lease;
  }

  function runsOutAt(): number {
    const { leaseDurationSeconds = leaseMs / 1000 } = known?.spec ?? {};
    return seenAt + leaseDurationSeconds * 1000;
  }

  const isOurs = (): boolean => known?.spec.holderIdentity === identity;

  function isFree(): boolean {
    return (known?.spec.holderIdentity ?? '') === '' || clock.elapsed() >= runsOutAt();
  }

  /** The Lease as it will be; who had it before us is counted. */
  function next(): LeaseSpec {
    const time = microTime(clock.now());
    const { acquireTime = time, leaseTransitions = 0, holderIdentity } = known?.spec ?? {};
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseMs / 1000,
      renewTime: time,
      ...(isOurs()
        ? { acquireTime, leaseTransitions }
        : {
            acquireTime: time,
            leaseTransitions: holderIdentity === undefined ? leaseTransitions : leaseTransitions + 1,
          }),
    };
  }

  /** The Lease as somebody leaves it who needs it no more. */
  function free(): LeaseSpec {
    const { leaseTransitions = 0 } = known?.spec ?? {};
    const time = microTime(clock.now());
    return { holderIdentity: '', leaseDurationSeconds: 1, renewTime: time, acquireTime: time, leaseTransitions };
  }

  async function write(
    spec: LeaseSpec,
    signal?: AbortSignal,
    annotations?: Lease['metadata']['annotations'],
  ): Promise<void> {
    const before = known?.metadata.resourceVersion;
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...{ name, namespace },
        ...(before === undefined ? {} : { resourceVersion: before }),
        ...(annotations === undefined ? {} : { annotations }),
      },
      spec,
    };
    const request =
      before === undefined
        ? ({ method: 'POST', path: leasePath(namespace) } as const)
        : ({ method: 'PUT', path: leasePath(namespace, name) } as const);
    // The API server answers with what it stored.
    see((await session.request({ ...request, body: lease, signal })) as Lease);
  }

  async function read(signal?: AbortSignal): Promise<void> {
    try {
      see((await session.request({ method: 'GET', path: leasePath(namespace, name), signal })) as Lease);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      known = undefined;
    }
  }

  return {
    see,
    runsOutAt,
    async tryAcquire(signal) {
      const renews = isOurs();
      try {
        // Who holds it knows its version; only where that fails has somebody else to be thought of.
        if (renews) {
          try {
            await write(next(), signal);
            return true;
          } catch (error) {
            if (!isStatus(error, 409) && !isStatus(error, 404)) throw error;
          }
        }
        await read(signal);
        if (known !== undefined && !isOurs() && !isFree()) return false;
        const before = { lease: known, seenAt };
        await write(next(), signal);
        taken = {
          handover: before.lease === undefined ? undefined : handoverOf(before.lease),
          isAfterSilence: before.lease !== undefined && before.seenAt === silentSince,
        };
        return true;
      } catch (error) {
        if (renews) throw error;
        // 409: somebody else was quicker, and the next look will tell who.
        if (!signal.aborted && !isStatus(error, 409))
          onError(error instanceof Error ? error : new Error(String(error)));
        return false;
      }
    },
    taken: () => taken,
    holder: () => (isOurs() || isFree() ? undefined : known?.spec.holderIdentity),
    silentIn(afterMs) {
      if (isOurs() || (known?.spec.holderIdentity ?? '') === '' || seenAt === silentSince) return undefined;
      return Math.max(0, seenAt + afterMs - clock.elapsed());
    },
    noteSilence() {
      silentSince = seenAt;
    },
    async release(left) {
      const annotations = left === undefined ? undefined : handoverAnnotations(left);
      try {
        await write(free(), undefined, annotations);
      } catch (error) {
        if (!isStatus(error, 409)) throw error;
        // The last renewal was taken though nobody waited for its answer: what is ours still is given back as it is now.
        await read();
        if (isOurs()) await write(free(), undefined, annotations);
      }
    },
  };
}
