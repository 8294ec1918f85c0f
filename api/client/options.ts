import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { managerPattern } from '../resources/manager.ts';
import type { Method } from '../route.ts';
import type { OperationId } from '../routes.ts';
import { type BaseUrl, parseBaseUrl } from './base-url.ts';
import { type CallError, OptionsError } from './errors.ts';

export interface Timeouts {
  /** Until a connection stands, TLS included. */
  readonly connectMs: number;
  /** From the request's last byte to the answer's headers. */
  readonly headersMs: number;
  /** Between two parts of the answer's body. */
  readonly bodyMs: number;
  /** From the sending of the request to the end of its answer: what comes in drops would otherwise never end. */
  readonly answerMs: number;
}

export interface Retries {
  /** How often a call is tried in all; 1 means no retry. */
  readonly attempts: number;
  /** The longest pause before the first retry; it doubles with each. */
  readonly baseDelayMs: number;
  /** The longest pause that the client chooses itself. */
  readonly maxDelayMs: number;
  /** The longest Retry-After that is waited for; a longer one ends the call at once. */
  readonly maxRetryAfterMs: number;
}

/** One attempt of a call, as it ended. */
export interface CallReport {
  readonly operationId: OperationId;
  readonly method: Method;
  /** The path that was sent, without the query string. */
  readonly path: string;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  /** Counts from 1. */
  readonly attempt: number;
  readonly durationMs: number;
}

export interface ClientOptions {
  /** Where the service is: `https://workspace.example.com`, a path prefix allowed. */
  readonly url: string;
  readonly keyId: string;
  readonly keySecret: string;
  /** Certificates in PEM that are trusted instead of the system's. */
  readonly ca?: string | undefined;
  /** A file of such certificates. */
  readonly caFile?: string | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly retries?: Partial<Retries> | undefined;
  /** How many connections are open at most, which is also how many calls run side by side; the others wait. */
  readonly connections?: number | undefined;
  /** The largest answer that is read. */
  readonly maxAnswerBytes?: number | undefined;
  readonly userAgent?: string | undefined;
  /** Who manages what is written, such as `rolecall/acme`: sent with each write, so that other managers can be told. */
  readonly manager?: string | undefined;
  /** Told of every attempt as it ends. */
  readonly onCall?: ((report: CallReport) => void) | undefined;
  /** Told before a call is tried again. */
  readonly onRetry?: ((report: RetryReport) => void) | undefined;
  /** Ends every call, those that sleep included. */
  readonly signal?: AbortSignal | undefined;
  /** For tests: a number from 0 up to 1. */
  readonly random?: (() => number) | undefined;
  /** For tests: waits, and rejects as soon as the signal is aborted. */
  readonly sleep?: Sleep | undefined;
}

export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** A call that failed and is about to be tried again. */
export interface RetryReport {
  readonly error: CallError;
  /** How long the attempt took that failed. */
  readonly durationMs: number;
  /** How long is waited before the next. */
  readonly delayMs: number;
}

/** The options with what was left out filled in. */
export interface Settings {
  readonly base: BaseUrl;
  readonly authorization: string;
  /** What no message may show. */
  readonly secrets: readonly string[];
  readonly ca: string | undefined;
  readonly timeouts: Timeouts;
  readonly retries: Retries;
  readonly connections: number;
  readonly maxAnswerBytes: number;
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
 * Checks the options and fills in what was left out. Reads `caFile`.
 *
 * @throws OptionsError that names the option and never repeats a secret
 */
export function readOptions(options: ClientOptions): Settings {
  const { keyId, keySecret } = options;
  // HTTP Basic ends the user name at the first colon (RFC 7617).
  if (keyId === '' || keyId.includes(':')) throw new OptionsError('keyId must not be empty or contain a colon');
  if (keySecret === '') throw new OptionsError('keySecret must not be empty');
  const credentials = Buffer.from(`${keyId}@api:${keySecret}`).toString('base64');
  return {
    base: parseBaseUrl(options.url),
    authorization: `Basic ${credentials}`,
    secrets: [credentials, keySecret],
    ca: readCertificates(options),
    timeouts: { ...defaultTimeouts, ...given('timeouts', options.timeouts, 1) },
    retries: { ...defaultRetries, ...given('retries', options.retries, 0) },
    connections: atLeast('connections', options.connections ?? defaultConnections, 1),
    maxAnswerBytes: atLeast('maxAnswerBytes', options.maxAnswerBytes ?? defaultMaxAnswerBytes, 1),
    userAgent: options.userAgent ?? 'rolecall',
    manager: checkManager(options.manager),
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

/** Leaves out what is undefined, which would otherwise hide the default. */
function given<T extends Timeouts | Retries>(name: string, values: Partial<T> | undefined, least: number): Partial<T> {
  const set = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  for (const [key, value] of set) atLeast(`${name}.${key}`, value, key === 'attempts' ? 1 : least);
  return Object.fromEntries(set) as Partial<T>;
}

function atLeast(name: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new OptionsError(`${name} must be a whole number of at least ${least}`);
}

function readCertificates({ ca, caFile }: ClientOptions): string | undefined {
  if (caFile === undefined) return checkCertificates('ca', ca);
  if (ca !== undefined) throw new OptionsError('give ca or caFile, not both');
  try {
    return checkCertificates(`caFile ${caFile}`, readFileSync(caFile, 'utf8'));
  } catch (error) {
    if (error instanceof OptionsError) throw error;
    throw new OptionsError(`caFile ${caFile} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`, {
      cause: error,
    });
  }
}

/** Node ignores what is no certificate, and the failure would then look like a certificate of the service's. */
function checkCertificates(name: string, pem: string | undefined): string | undefined {
  if (pem === undefined || pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new OptionsError(`${name} has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----`);
}
