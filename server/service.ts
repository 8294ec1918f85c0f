import { setTimeout } from 'node:timers/promises';
import { Delivery } from './audit/delivery.ts';
import { type AuditSink, parseAuditSinks } from './audit/sink.ts';
import { type Clock, systemClock } from './clock.ts';
import { lockDataFolder, prepareDataFolder } from './data/data-folder.ts';
import { type Data, openData } from './data/open-data.ts';
import { requireOnePlace, type StoreLocation } from './data/store-location.ts';
import { createGuard, type Guard } from './databases/guard/index.ts';
import { testConnection } from './databases/index.ts';
import { handlers } from './handlers/index.ts';
import { FailedLogins } from './http/failed-logins.ts';
import { checkAnswer } from './http/routes.ts';
import { type Http, type HttpOptions, startHttp } from './http/start-http.ts';
import { startIdempotencyMaintenance } from './idempotency/once.ts';
import { startKeyMaintenance } from './key-maintenance.ts';
import { ListCache } from './list-cache.ts';
import { createServiceMetrics, type ServiceMetrics } from './metrics/service-metrics.ts';
import { startQueries } from './queries/index.ts';
import type { Environment } from './secrets/key-source.ts';
import { TokenExchange } from './tokens/exchange.ts';
import type { TrustRule } from './tokens/rules.ts';
import { readVersion } from './version.ts';

export interface ServiceOptions extends HttpOptions, StoreLocation {
  /** Where the variables ROLECALL_STORE_KEY… are looked for; default: the process's environment. */
  environment?: Environment;
  clock?: Clock;
  /** How long completed queries are kept, in seconds; 0 for ever. Default 86,400. */
  queryRetentionSeconds?: number;
  /** How long a database may work on one command of a query, in seconds; 0 for as long as it takes. Default 3600. */
  queryTimeoutSeconds?: number;
  /** How many bytes of rows, as JSON, one query may spool; 0 for any number. Default 10 GiB. */
  queryMaxBytes?: number;
  /** How many queries may run at a time; more wait for their turn. Default 32. */
  queryConcurrency?: number;
  /** Networks that data sources may not lead to, as in 10.0.0.0/8, besides those that are denied by default. */
  deniedNetworks?: readonly string[];
  /** Networks that data sources may lead to although a larger one is denied, or the default denies them: loopback. */
  allowedNetworks?: readonly string[];
  /** Folders that SQLite data sources have to be in. Default: there can be none. */
  sqliteFolders?: readonly string[];
  /**
   * How long a replica may be silent before the queries that it runs count as abandoned and are completed as failed, in
   * seconds. Default 20.
   */
  queryLeaseSeconds?: number;
  /** Whether the audit trail has the texts of the statements that `execute` runs, or only digests. Default: text. */
  auditStatements?: 'text' | 'digest';
  /** Where entries of the audit trail are sent: file:/path, syslog://host:port, https://host/path. Default: nowhere. */
  auditSinks?: readonly string[];
  /** The file with the Authorization header for an HTTPS sink; default: ROLECALL_AUDIT_SINK_AUTHORIZATION. */
  auditSinkAuthorizationFile?: string;
  /** Which tokens of pipelines are exchanged for which API keys; default: none. */
  trust?: readonly TrustRule[];
  /** Holds each answer to its schema and fails the request otherwise; for tests. */
  checkAnswers?: boolean;
}

export interface Service {
  /** Without a path, as in http://127.0.0.1:8080. */
  readonly url: string;
  /** Where metrics are read without a key; undefined without a listener for it. */
  readonly metricsUrl: string | undefined;
  /** Looks at the files of the certificate now, not only every few seconds; nothing without TLS. */
  reloadTls(): Promise<void>;
  /**
   * Takes no more connections, finishes the requests that run, cancels the queries that run, closes the store. May be
   * called again.
   *
   * @param graceMs how long open connections without a request are kept, in milliseconds: a request may be on its way;
   *   default 0
   * @param drainMs how long before that everything is still taken and answered, while the service says that it is not
   *   ready, so that load balancers turn away; default 0
   */
  close(graceMs?: number, drainMs?: number): Promise<void>;
}

/** What all kept lists together may take, in bytes. */
const listCacheBytes = 64 * 1024 * 1024;

/**
 * Starts the workspace service on a store. Prints nothing.
 *
 * @throws AuditSinkError, NetworkError, StoreLocationError, StoreUrlError, StoreLockedError, StoreVersionError, StoreKeyError,
 *   StoreUnavailableError; Node's own where it cannot listen
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { environment = process.env } = options;
  const guard = guardOf(options);
  const sinks = parseAuditSinks(options.auditSinks ?? [], {
    value: environment['ROLECALL_AUDIT_SINK_AUTHORIZATION'],
    file: options.auditSinkAuthorizationFile,
  });
  const unlock = lockPlace(options);
  try {
    const metrics = createServiceMetrics(readVersion());
    const data = await openData(options, environment, metrics.groupCommitted);
    try {
      return await listen(data, metrics, options, guard, sinks, unlock);
    } catch (error) {
      await closeData(data);
      throw error;
    }
  } catch (error) {
    unlock();
    throw error;
  }
}

function guardOf({ dataDir, deniedNetworks = [], allowedNetworks = [], sqliteFolders = [] }: ServiceOptions): Guard {
  return createGuard({
    networks: { denied: deniedNetworks, allowed: allowedNetworks },
    files: {
      ...(dataDir === undefined ? {} : { ownFolder: dataDir }),
      folders: sqliteFolders,
    },
  });
}

/** A folder is served by one process; a database by any number. @returns lets go of the lock */
function lockPlace(where: StoreLocation): () => void {
  const { dataDir } = requireOnePlace(where);
  if (dataDir === undefined) return () => undefined;
  prepareDataFolder(dataDir);
  return lockDataFolder(dataDir);
}

async function closeData({ store, spool }: Data): Promise<void> {
  await Promise.all([store.close(), spool.close()]);
}

async function listen(
  data: Data,
  metrics: ServiceMetrics,
  options: ServiceOptions,
  guard: Guard,
  sinks: readonly AuditSink[],
  unlock: () => void,
): Promise<Service> {
  const { clock = systemClock, checkAnswers = false } = options;
  const { spool, seal, keyHash, digest, keys } = data;
  const store = metrics.timeWrites(data.store);
  let closing: Promise<void> | undefined;
  const queries = await startQueries({
    store,
    guard,
    clock,
    spool,
    onError: (error) => {
      http.log.error({ err: error }, 'query');
    },
    metrics,
    retentionSeconds: options.queryRetentionSeconds ?? 86_400,
    statementTimeoutMs: (options.queryTimeoutSeconds ?? 3600) * 1000 || undefined,
    concurrency: options.queryConcurrency ?? 32,
    maxBytes: options.queryMaxBytes ?? 10 * 1024 ** 3,
    leaseMs: options.queryLeaseSeconds === undefined ? undefined : options.queryLeaseSeconds * 1000,
  });
  const idempotencyMaintenance = startIdempotencyMaintenance(store, clock, (error) => {
    http.log.error({ err: error }, 'Idempotency-Keys');
  });
  const failedLogins = new FailedLogins(store, clock, (error) => {
    http.log.error({ err: error }, 'failed log-ins are not in the audit trail yet');
  });
  const exchange = new TokenExchange({
    store,
    seal,
    keyHash,
    clock,
    rules: options.trust ?? [],
    failed: (address, reason) => {
      failedLogins.note(address, reason);
    },
    warn: (details, message) => {
      http.log.warn(details, message);
    },
  });
  const http: Http = await startHttp(
    {
      handlers,
      services: {
        store,
        seal,
        digest,
        clock,
        lists: new ListCache(store, listCacheBytes),
        queries,
        guard,
        testConnection: (uri) => testConnection(uri, { guard }),
        auditStatements: options.auditStatements ?? 'text',
        exchange: (token, asker) => exchange.exchange(token, asker),
        onError: (error, what) => {
          http.log.error({ err: error }, what);
        },
      },
      ...(checkAnswers ? { checkAnswer } : {}),
      store,
      failedLogins,
      keys,
      clock,
      health: {
        isClosing: () => closing !== undefined,
        checkStore: () => keys.follow(),
      },
      metrics,
      queryCounts: () => queries.counts(),
    },
    options,
  ).catch(async (error: unknown) => {
    await Promise.all([queries.close(), idempotencyMaintenance.stop(), failedLogins.stop()]);
    throw error;
  });
  const keyMaintenance = startKeyMaintenance({
    store,
    clock,
    warn: (details, message) => {
      http.log.warn(details, message);
    },
    onError: (error) => {
      http.log.error({ err: error }, 'API keys');
    },
  });
  const deliveries = sinks.map(
    (sink) =>
      new Delivery(sink, {
        store,
        failed: (label, error) => {
          http.log.error(
            { err: error, sink: label },
            'the audit trail cannot be delivered; the service goes on trying',
          );
        },
        recovered: (label) => {
          http.log.info({ sink: label }, 'the audit trail is delivered again');
        },
      }),
  );
  metrics.auditSinks(() => deliveries.map(({ state }) => state));
  const { url, metricsUrl, reloadTls } = http;
  return {
    url,
    metricsUrl,
    reloadTls,
    close: (graceMs = 0, drainMs = 0) => {
      closing ??= close(graceMs, drainMs);
      return closing;
    },
  };

  async function close(graceMs: number, drainMs: number): Promise<void> {
    if (drainMs > 0) await setTimeout(drainMs);
    try {
      await Promise.all([http.close(graceMs), queries.close(), idempotencyMaintenance.stop(), keyMaintenance.stop()]);
      await failedLogins.stop();
      await Promise.all(deliveries.map((delivery) => delivery.stop()));
    } finally {
      await closeData(data);
      unlock();
    }
  }
}
