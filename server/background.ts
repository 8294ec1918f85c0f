import type { FastifyBaseLogger } from 'fastify';
import { Delivery } from './audit/delivery.ts';
import type { AuditSink } from './audit/sink.ts';
import type { Clock } from './clock.ts';
import type { Data } from './data/open-data.ts';
import type { Guard } from './databases/guard/index.ts';
import { SessionsLeftBehind } from './gateway/left-behind.ts';
import { FailedLogins } from './http/failed-logins.ts';
import { startIdempotencyMaintenance } from './idempotency/once.ts';
import { startKeyMaintenance } from './key-maintenance.ts';
import type { ServiceMetrics } from './metrics/service-metrics.ts';
import { type Queries, startQueries } from './queries/index.ts';
import { startTicker, type Ticker } from './queries/ticker.ts';
import type { ServiceOptions } from './service-options.ts';
import { type Sessions, useMs } from './sign-in/sessions.ts';

/** Milliseconds after which sessions that are over are deleted. */
const tidyMs = 10 * 60_000;

export interface BackgroundParts {
  readonly data: Data;
  readonly guard: Guard;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly metrics: ServiceMetrics;
  readonly sinks: readonly AuditSink[];
  readonly log: LateLog;
}

/** Work of a service besides answering requests: it runs queries, tidies up, and writes and delivers the audit trail. */
export class Background {
  readonly queries: Queries;
  readonly failedLogins: FailedLogins;
  readonly #maintenance: readonly Ticker[];
  readonly #leftBehind: SessionsLeftBehind;
  readonly #deliveries: readonly Delivery[];
  readonly #saveUse: () => Promise<void>;

  static async start(parts: BackgroundParts, options: ServiceOptions): Promise<Background> {
    const { data, guard, clock, metrics, log } = parts;
    const queries = await startQueries({
      store: data.store,
      spool: data.spool,
      guard,
      clock,
      metrics,
      onError: log.errors('query'),
      retentionSeconds: options.queryRetentionSeconds ?? 86_400,
      statementTimeoutMs: (options.queryTimeoutSeconds ?? 3600) * 1000 || undefined,
      concurrency: options.queryConcurrency ?? 32,
      maxBytes: options.queryMaxBytes ?? 10 * 1024 ** 3,
      leaseMs: options.queryLeaseSeconds === undefined ? undefined : options.queryLeaseSeconds * 1000,
    });
    return new Background(queries, parts);
  }

  private constructor(queries: Queries, { data, guard, clock, sessions, metrics, sinks, log }: BackgroundParts) {
    const { store, seal } = data;
    const useFailed = log.errors('the use of sessions is not written yet');
    this.#saveUse = () => sessions.saveUse().catch(useFailed);
    this.queries = queries;
    const onError = log.errors('sessions that a gateway has left behind');
    this.#leftBehind = new SessionsLeftBehind({ store, seal, guard, onError });
    this.failedLogins = new FailedLogins(store, clock, log.errors('failed log-ins are not in the audit trail yet'));
    this.#maintenance = [
      startIdempotencyMaintenance(store, clock, log.errors('Idempotency-Keys')),
      startTicker(tidyMs, () => sessions.tidy(), log.errors('sessions that are over')),
      startTicker(useMs, () => sessions.saveUse(), useFailed),
      startKeyMaintenance({ store, clock, warn: log.warn, onError: log.errors('API keys') }),
    ];
    const failed = (sink: string, err: unknown): void => {
      log.error({ err, sink }, 'the audit trail cannot be delivered; the service keeps trying');
    };
    const recovered = (sink: string): void => {
      log.info({ sink }, 'the audit trail is delivered again');
    };
    this.#deliveries = sinks.map((sink) => new Delivery(sink, { store, failed, recovered }));
    metrics.auditSinks(() => this.#deliveries.map(({ state }) => state));
  }

  /** Cancels the queries that run, and ends the maintenance. */
  async close(): Promise<void> {
    await Promise.all([
      this.queries.close(),
      this.#leftBehind.close(),
      ...this.#maintenance.map((ticker) => ticker.stop()),
    ]);
  }

  /** Writes the use of sessions, and writes and delivers what the audit trail still lacks. To be called when no more requests can come. */
  async flush(): Promise<void> {
    await this.#saveUse();
    await this.failedLogins.stop();
    await Promise.all(this.#deliveries.map((delivery) => delivery.stop()));
  }
}

type Level = 'error' | 'warn' | 'info';

/** The log, for what runs before Fastify has made it: lines that come earlier are written then. */
export class LateLog {
  #log: FastifyBaseLogger | undefined;
  readonly #early: [Level, object, string][] = [];

  readonly error = (details: object, message: string): void => {
    this.#write('error', details, message);
  };

  readonly warn = (details: object, message: string): void => {
    this.#write('warn', details, message);
  };

  readonly info = (details: object, message: string): void => {
    this.#write('info', details, message);
  };

  /** Gives a function that logs errors under one message. */
  errors(message: string): (err: unknown) => void {
    return (err) => {
      this.error({ err }, message);
    };
  }

  begin(log: FastifyBaseLogger): void {
    this.#log = log;
    for (const line of this.#early.splice(0)) this.#write(...line);
  }

  #write(level: Level, details: object, message: string): void {
    if (this.#log === undefined) this.#early.push([level, details, message]);
    else this.#log[level](details, message);
  }
}
