import { hostname, userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isNotOffered, type Lease, ProblemError } from '@rolecall/api';
import { parseDuration } from '@rolecall/crds';
import type { Context } from '../command.ts';
import { CliError, InterruptedError } from '../errors.ts';
import { optionValue } from '../options/option-value.ts';

/** Seconds that a lease lasts: so long others wait after a run that was killed. */
const leaseSeconds = 30;
const renewMs = (leaseSeconds * 1000) / 3;
/** Milliseconds after which a waiting run asks again. */
const askMs = 1000;
const defaultTimeoutMs = 10 * 60_000;
/** Milliseconds that a run waits at its end for the service, to give the lease back. */
const returnMs = 5_000;

/** Returns the time that a run waits for the lease, in milliseconds. */
export function leaseTimeoutMs(text: string | undefined): number {
  if (text === undefined) return defaultTimeoutMs;
  if (text === '0') return 0;
  return optionValue('--lease-timeout', text, parseDuration, 'write it as in --lease-timeout 5m, or 0') * 1000;
}

/** The lease on the workspace for the time of a run, renewed until it is disposed. */
export class RunLease implements AsyncDisposable {
  readonly #client: Client;
  readonly #id: string;
  readonly #context: Context;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #end = new AbortController();
  #renewing: Promise<void> = Promise.resolve();

  private constructor(client: Client, { id }: Lease, context: Context) {
    this.#client = client;
    this.#id = id;
    this.#context = context;
    this.#timer = setInterval(() => {
      this.#renewing = this.#renew();
    }, renewMs).unref();
  }

  /**
   * Takes the lease, and waits for it where another run holds it.
   *
   * @returns undefined where the service has no leases, or this key may not take one
   * @throws CliError when the time is over, InterruptedError, and the client's errors
   */
  static async take(
    client: Client,
    context: Context,
    timeoutMs: number,
    abandon: AbortSignal,
  ): Promise<RunLease | undefined> {
    const until = performance.now() + timeoutMs;
    for (let isTold = false; ; isTold = true) {
      try {
        // A call that is cut may have taken the lease, and then no one knows its id: the answer is waited for.
        const options = { despiteAbort: true, signal: after(abandon, returnMs) };
        const body = { holder: holderName(), seconds: leaseSeconds };
        const lease = new RunLease(client, await client.call('takeLease', { body }, options), context);
        if (!abandon.aborted) return lease;
        await lease[Symbol.asyncDispose]();
        throw new InterruptedError();
      } catch (error) {
        if (abandon.aborted) throw new InterruptedError();
        // A key of scope read, or one that is limited to data sources, may not take a lease.
        if (isNotOffered(error)) return undefined;
        if (!(error instanceof ProblemError) || error.problem !== 'lease_held') throw error;
        const leftMs = until - performance.now();
        if (leftMs <= 0) throw heldByOther(error.detail);
        if (!isTold) context.output.warn('lease_held', `another run is under way: ${error.detail}. Waiting for it`);
        // An interrupt is seen at the next call.
        await sleep(Math.min(askMs, leftMs), undefined, { signal: abandon }).catch(() => undefined);
      }
    }
  }

  /** Aborted when another run has taken the lease over: this one was suspended, or cut off for too long. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#end.abort();
    await this.#renewing;
    const options = { despiteAbort: true, signal: AbortSignal.timeout(returnMs) };
    // It ends by itself too, and the run is over.
    await this.#client.call('releaseLease', { params: { lease: this.#id } }, options).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    try {
      const request = { params: { lease: this.#id }, body: { seconds: leaseSeconds } };
      await this.#client.call('renewLease', request, { signal: this.#end.signal });
    } catch (error) {
      // Another error may pass: the next renewal tells.
      if (!(error instanceof ProblemError) || error.status !== 404 || this.#lost.signal.aborted) return;
      this.#context.output.warn(
        'lease_lost',
        'another run has taken over the lease on the workspace, since this one did not renew it in time; no further call is made',
      );
      this.#lost.abort();
    }
  }
}

/** Aborted so long after another signal. */
function after(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController();
  const onAbort = (): void => {
    setTimeout(() => {
      late.abort();
    }, ms).unref();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return late.signal;
}

function heldByOther(detail: string): CliError {
  return new CliError(
    'ERR_LEASE_HELD',
    `another run is under way: ${detail}. Nothing was written. Run this command again once that one has ended, or let it wait longer with --lease-timeout`,
  );
}

function holderName(): string {
  return `rolecall apply, ${userName()}@${hostname()}, process ${process.pid}`.replace(/[^ -~]/g, '?').slice(0, 200);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user often has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
