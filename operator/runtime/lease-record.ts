/** A Lease as one process sees it: whether the process may take it, and what it writes when it takes, renews or releases it. */

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

export interface LeaseRecordOptions {
  readonly session: Pick<KubeSession, 'request' | 'watch'>;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseMs: number;
  readonly onError: (error: Error) => void;
}

/** A Lease as one process sees and writes it. */
export class LeaseRecord {
  readonly #options: LeaseRecordOptions;
  #lastLease: Lease | undefined;
  /** The moment at which this process saw the last change of the Lease. */
  #seenAt = 0;
  /** The last change of the Lease before its holder fell silent. */
  #silentSince: number | undefined;
  #taken: Taken = { handover: undefined, isAfterSilence: false };

  constructor(options: LeaseRecordOptions) {
    this.#options = options;
  }

  /** The content of the Lease when this process took it, and whether its holder had been silent. */
  get taken(): Taken {
    return this.#taken;
  }

  /** The other process that holds it, as far as this one knows. */
  get holder(): string | undefined {
    return this.#isOurs || this.#isFree ? undefined : this.#lastLease?.spec.holderIdentity;
  }

  /** The moment at which it expires, by what this process has seen, on the clock that does not jump. */
  get runsOutAt(): number {
    const { leaseDurationSeconds = this.#options.leaseMs / 1000 } = this.#lastLease?.spec ?? {};
    return this.#seenAt + leaseDurationSeconds * 1000;
  }

  /** Takes a Lease from a watch: the sooner this process sees a change, the sooner it knows that the Lease has expired. */
  see(lease: Lease): void {
    // A watch may bring late what an answer has brought already.
    if (isOlderVersion(lease.metadata.resourceVersion, this.#lastLease?.metadata.resourceVersion)) return;
    const isOther =
      this.#lastLease === undefined || JSON.stringify(this.#lastLease.spec) !== JSON.stringify(lease.spec);
    if (isOther) this.#seenAt = this.#options.clock.elapsed();
    this.#lastLease = lease;
  }

  /**
   * Takes or renews the Lease, where no other process holds it.
   *
   * @returns whether it is ours now
   * @throws where the server could not be asked, when renewing
   */
  async tryAcquire(signal: AbortSignal): Promise<boolean> {
    const renews = this.#isOurs;
    try {
      // The holder knows the version; only where its write fails may another process have written.
      if (renews && (await this.#renew(signal))) return true;
      await this.#read(signal);
      if (this.#lastLease !== undefined && !this.#isOurs && !this.#isFree) return false;
      const lastSeen = { lease: this.#lastLease, seenAt: this.#seenAt };
      await this.#write(this.#next(), signal);
      this.#taken = {
        handover: lastSeen.lease === undefined ? undefined : handoverOf(lastSeen.lease),
        isAfterSilence: lastSeen.lease !== undefined && lastSeen.seenAt === this.#silentSince,
      };
      return true;
    } catch (error) {
      if (renews) throw error;
      // 409: another process was quicker, and the next try finds out which.
      if (!signal.aborted && !isStatus(error, 409))
        this.#options.onError(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  /**
   * The time until its holder has not renewed the Lease for `afterMs`, both in milliseconds; undefined where that was noted already, or
   * no other process holds it.
   */
  silentIn(afterMs: number): number | undefined {
    const isHeld = (this.#lastLease?.spec.holderIdentity ?? '') !== '';
    if (this.#isOurs || !isHeld || this.#seenAt === this.#silentSince) return undefined;
    return Math.max(0, this.#seenAt + afterMs - this.#options.clock.elapsed());
  }

  /** Notes that its holder is silent, until it changes the Lease. */
  noteSilence(): void {
    this.#silentSince = this.#seenAt;
  }

  async release(handover?: Handover): Promise<void> {
    const annotations = handover === undefined ? undefined : handoverAnnotations(handover);
    try {
      await this.#write(this.#released(), undefined, annotations);
    } catch (error) {
      if (!isStatus(error, 409)) throw error;
      // The last renewal may be stored without an answer: release the Lease as it is now if it is still ours.
      await this.#read();
      if (this.#isOurs) await this.#write(this.#released(), undefined, annotations);
    }
  }

  get #isOurs(): boolean {
    return this.#lastLease?.spec.holderIdentity === this.#options.identity;
  }

  get #isFree(): boolean {
    return (this.#lastLease?.spec.holderIdentity ?? '') === '' || this.#options.clock.elapsed() >= this.runsOutAt;
  }

  /** @returns false where another process may have written the Lease */
  async #renew(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#write(this.#next(), signal);
      return true;
    } catch (error) {
      if (isStatus(error, 409) || isStatus(error, 404)) return false;
      throw error;
    }
  }

  /** The Lease as it will be; another holder before us is counted as a transition. */
  #next(): LeaseSpec {
    const { clock, identity, leaseMs } = this.#options;
    const time = microTime(clock.now());
    const { acquireTime = time, leaseTransitions = 0, holderIdentity } = this.#lastLease?.spec ?? {};
    const held = this.#isOurs
      ? { acquireTime, leaseTransitions }
      : { acquireTime: time, leaseTransitions: holderIdentity === undefined ? leaseTransitions : leaseTransitions + 1 };
    return { holderIdentity: identity, leaseDurationSeconds: leaseMs / 1000, renewTime: time, ...held };
  }

  /** The Lease as a process leaves it that needs it no more. */
  #released(): LeaseSpec {
    const { leaseTransitions = 0 } = this.#lastLease?.spec ?? {};
    const time = microTime(this.#options.clock.now());
    return { holderIdentity: '', leaseDurationSeconds: 1, renewTime: time, acquireTime: time, leaseTransitions };
  }

  async #write(spec: LeaseSpec, signal?: AbortSignal, annotations?: Lease['metadata']['annotations']): Promise<void> {
    const { session, name, namespace } = this.#options;
    const resourceVersion = this.#lastLease?.metadata.resourceVersion;
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...{ name, namespace },
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(annotations === undefined ? {} : { annotations }),
      },
      spec,
    };
    const request =
      resourceVersion === undefined
        ? ({ method: 'POST', path: leasePath(namespace) } as const)
        : ({ method: 'PUT', path: leasePath(namespace, name) } as const);
    // The API server answers with the stored object.
    this.see((await session.request({ ...request, body: lease, signal })) as Lease);
  }

  async #read(signal?: AbortSignal): Promise<void> {
    const { session, name, namespace } = this.#options;
    try {
      this.see((await session.request({ method: 'GET', path: leasePath(namespace, name), signal })) as Lease);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      this.#lastLease = undefined;
    }
  }
}
