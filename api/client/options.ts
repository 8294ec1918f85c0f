import { readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { managerPattern } from '../resources/manager.ts';
import type { Method } from '../route.ts';
import { type BaseUrl, parseBaseUrl } from './base-url.ts';
import { type CallError, OptionsError } from './errors.ts';
import { type Proxies, type Proxy, proxyFor } from './proxies.ts';

export interface Timeouts {
  /** Until the connection is established, including TLS. */
  readonly connectMs: number;
  /** From the request's last byte to the answer's headers. */
  readonly headersMs: number;
  /** Between two parts of the answer's body. */
  readonly bodyMs: number;
  /** From sending the request to the end of its answer. Without it, an answer that trickles could take for ever. */
  readonly answerMs: number;
}

export interface Retries {
  /** The total number of attempts; 1 means no retry. */
  readonly attempts: number;
  /** The longest pause before the first retry; it doubles with each retry. */
  readonly baseDelayMs: number;
  /** The longest pause that the client chooses itself. */
  readonly maxDelayMs: number;
  /** The longest Retry-After that the client waits for; a longer one fails the call at once. */
  readonly maxRetryAfterMs: number;
}

/** Bounds the memory that answers take, of calls that are under way and of reads whose answers are kept. */
export interface AnswerRoom {
  /** An answer begins. @param path what it is about, with the query string; @param isKept whether it will be kept until the next one */
  readonly begin: (path: string, isKept: boolean) => AnswerInRoom;
}

export interface AnswerInRoom {
  /** Takes the next part of it. @returns false where there is no room for it */
  readonly take: (chunk: Uint8Array) => boolean;
  /** @param isWhole whether it came to its end */
  readonly end: (isWhole: boolean) => void;
}

/** A finished attempt of a call. */
export interface CallReport {
  readonly operationId: string;
  readonly method: Method;
  /** The path that was sent, without the query string. */
  readonly path: string;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  /** Counts from 1. */
  readonly attempt: number;
  readonly durationMs: number;
  /** The Date header: the service's own time of day. */
  readonly date: string | undefined;
}

/** Options for the connection to the service. */
export interface ConnectionOptions {
  /** The service's URL, such as `https://workspace.example.com`, with or without a path prefix. */
  readonly url: string;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** A file of such certificates. */
  readonly caFile?: string | undefined;
  /** The proxies to use, as environment variables name them. Default: none. A service on this machine is reached without one. */
  readonly proxies?: Proxies | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly retries?: Partial<Retries> | undefined;
  /** The largest number of open connections, and so of concurrent calls; further calls wait. */
  readonly connections?: number | undefined;
  /** The largest answer that the client reads. */
  readonly maxAnswerBytes?: number | undefined;
  /** Shared count of the answers that several clients hold together. */
  readonly room?: AnswerRoom | undefined;
  /** Resolves the host's name, and refuses addresses that may not be connected to. Default: the system's resolver. */
  readonly lookup?: LookupFunction | undefined;
  readonly userAgent?: string | undefined;
  /** Called after every attempt. */
  readonly onCall?: ((report: CallReport) => void) | undefined;
  /** Called before every retry. */
  readonly onRetry?: ((report: RetryReport) => void) | undefined;
  /** Aborts every call, including those that are waiting to retry. */
  readonly signal?: AbortSignal | undefined;
  /** For tests: a number from 0 up to 1. */
  readonly random?: (() => number) | undefined;
  /** For tests: waits; rejects as soon as the signal is aborted. */
  readonly sleep?: Sleep | undefined;
}

export interface ClientOptions extends ConnectionOptions {
  readonly keyId: string;
  readonly keySecret: string;
  /** The manager of what the client writes, such as `rolecall/acme`. Sent with each write, so that other managers can see it. */
  readonly manager?: string | undefined;
}

export interface PersonClientOptions extends ConnectionOptions {
  /** The token of a command line session; without one, only operations that need no session succeed. */
  readonly token?: string | undefined;
}

export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** A call that failed and will be retried. */
export interface RetryReport {
  readonly error: CallError;
  /** Duration of the failed attempt. */
  readonly durationMs: number;
  /** The pause before the next attempt. */
  readonly delayMs: number;
}

/** The options with their defaults filled in. */
export interface Settings {
  readonly base: BaseUrl;
  /** Undefined for a caller without a session. */
  readonly authorization: string | undefined;
  /** Texts that no message may show. */
  readonly secrets: readonly string[];
  readonly ca: string | undefined;
  /** The file that `ca` was read from. */
  readonly caFile: string | undefined;
  readonly proxy: Proxy | undefined;
  readonly timeouts: Timeouts;
  readonly retries: Retries;
  readonly connections: number;
  readonly maxAnswerBytes: number;
  readonly room: AnswerRoom | undefined;
  readonly lookup: LookupFunction | undefined;
  readonly userAgent: string;
  readonly manager: string | undefined;
  readonly onCall: ((report: CallReport) => void) | undefined;
  readonly onRetry: ((report: RetryReport) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly random: () => number;
  readonly sleep: Sleep;
}

const defaultTimeouts: Timeouts = { connectMs: 10_000, headersMs: 60_000, bodyMs: 60_000, answerMs: 600_000 };
const defaultRetries: Retries = { attempts: 5, baseDelayMs: 200, maxDelayMs: 5_000, maxRetryAfterMs: 60_000 };
const defaultConnections = 16;
const defaultMaxAnswerBytes = 256 * 1024 * 1024;

/**
 * Checks the options, fills in the defaults and reads `caFile`.
 *
 * @throws OptionsError, which names the option and never repeats a secret
 */
export function readOptions(options: ClientOptions): Settings {
  const { keyId, keySecret } = options;
  // HTTP Basic ends the user name at the first colon (RFC 7617).
  if (keyId === '' || keyId.includes(':'))
    throw new OptionsError('keyId must not be empty or contain a colon', { option: 'keyId' });
  if (keySecret === '') throw new OptionsError('keySecret must not be empty', { option: 'keySecret' });
  const credentials = Buffer.from(`${keyId}@api:${keySecret}`).toString('base64');
  return {
    ...connectionSettings(options),
    authorization: `Basic ${credentials}`,
    secrets: [credentials, keySecret],
    manager: checkManager(options.manager),
  };
}

/** The same for a client of the person's API. @throws OptionsError */
export function readPersonOptions(options: PersonClientOptions): Settings {
  const { token } = options;
  if (token !== undefined && !/^[A-Za-z0-9_-]+$/.test(token)) {
    throw new OptionsError('token must be a session token, which has only letters, digits, _ and -');
  }
  return {
    ...connectionSettings(options),
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    secrets: token === undefined ? [] : [token],
    manager: undefined,
  };
}

function connectionSettings(options: ConnectionOptions): Omit<Settings, 'authorization' | 'secrets' | 'manager'> {
  const base = parseBaseUrl(options.url);
  return {
    base,
    proxy: proxyFor(base, options.proxies),
    ca: readCertificates(options),
    caFile: options.caFile,
    timeouts: { ...defaultTimeouts, ...given('timeouts', options.timeouts, 1) },
    retries: { ...defaultRetries, ...given('retries', options.retries, 0) },
    connections: atLeast('connections', options.connections ?? defaultConnections, 1),
    maxAnswerBytes: atLeast('maxAnswerBytes', options.maxAnswerBytes ?? defaultMaxAnswerBytes, 1),
    room: options.room,
    lookup: options.lookup,
    userAgent: options.userAgent ?? 'rolecall',
    onCall: options.onCall,
    onRetry: options.onRetry,
    signal: options.signal,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? ((ms, signal) => setTimeout(ms, undefined, signal === undefined ? {} : { signal })),
  };
}

function checkManager(manager: string | undefined): string | undefined {
  if (manager === undefined || managerPattern.exec(manager)?.[1] === manager) return manager;
  throw new OptionsError('manager must be 1 to 100 visible ASCII characters without a semicolon');
}

/** Drops undefined values, which would otherwise override the defaults. */
function given<T extends Timeouts | Retries>(name: string, values: Partial<T> | undefined, least: number): Partial<T> {
  const set = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  for (const [key, value] of set) atLeast(`${name}.${key}`, value, key === 'attempts' ? 1 : least);
  return Object.fromEntries(set) as Partial<T>;
}

function atLeast(name: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new OptionsError(`${name} must be a whole number of at least ${least}`);
}

function readCertificates({ ca, caFile }: ConnectionOptions): string | undefined {
  if (caFile === undefined) return checkCertificates('ca', ca);
  if (ca !== undefined) throw new OptionsError('give ca or caFile, not both', { option: 'caFile' });
  let pem: string;
  try {
    pem = readFileSync(caFile, 'utf8');
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new OptionsError(`caFile ${caFile} cannot be read: ${why}`, { option: 'caFile', cause });
  }
  return checkCertificates(`caFile ${caFile}`, pem);
}

/** Node ignores text that is not a certificate; the later failure would then seem to be about the service's certificate. */
function checkCertificates(name: string, pem: string | undefined): string | undefined {
  if (pem === undefined || pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  const message = `${name} must contain a PEM certificate, which begins with -----BEGIN CERTIFICATE-----`;
  throw new OptionsError(message, { option: 'caFile' });
}
