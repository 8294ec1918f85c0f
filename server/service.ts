import { setTimeout } from 'node:timers/promises';
import { type AuditSink, parseAuditSinks } from './audit/sink.ts';
import { Background, LateLog } from './background.ts';
import { systemClock } from './clock.ts';
import { lockDataFolder, prepareDataFolder } from './data/data-folder.ts';
import { type Data, openData } from './data/open-data.ts';
import { requireOnePlace, type StoreLocation } from './data/store-location.ts';
import { createGuard, type Guard } from './databases/guard/index.ts';
import { testConnection } from './databases/index.ts';
import type { Services } from './handlers/handler.ts';
import { handlers } from './handlers/index.ts';
import { checkAnswer } from './http/routes.ts';
import { type Http, startHttp } from './http/start-http.ts';
import { ListCache } from './list-cache.ts';
import { createServiceMetrics, type ServiceMetrics } from './metrics/service-metrics.ts';
import type { Service, ServiceOptions } from './service-options.ts';
import { TokenExchange } from './tokens/exchange.ts';
import { readVersion } from './version.ts';

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
      const timed = { ...data, store: metrics.timeWrites(data.store) };
      return await serve(timed, options, { guard, sinks, metrics, unlock });
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

/** Serves requests from a store that is open. */
async function serve(
  data: Data,
  options: ServiceOptions,
  { guard, sinks, metrics, unlock }: ServeParts,
): Promise<RunningService> {
  const { clock = systemClock, checkAnswers = false } = options;
  const log = new LateLog();
  const background = await Background.start({ data, guard, clock, metrics, sinks, log }, options);
  const { store, seal, keyHash, digest, keys } = data;
  const { queries, failedLogins } = background;
  const exchange = new TokenExchange({
    store,
    seal,
    keyHash,
    clock,
    rules: options.trust ?? [],
    warn: log.warn,
    failed: (address, reason) => {
      failedLogins.note(address, reason);
    },
  });
  const health = {
    closing: false,
    isClosing: () => health.closing,
    checkStore: () => keys.follow(),
  };
  const services: Services = {
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
    onError: (err, what) => {
      log.error({ err }, what);
    },
  };
  const checked = checkAnswers ? { checkAnswer } : {};
  const parts = { handlers, services, ...checked, store, failedLogins, keys, clock, health, metrics };
  try {
    const http = await startHttp({ ...parts, queryCounts: () => queries.counts() }, options);
    log.begin(http.log);
    return new RunningService({ http, background, data, health, unlock });
  } catch (error) {
    await background.close();
    await background.flush();
    throw error;
  }
}

interface ServeParts {
  readonly guard: Guard;
  readonly sinks: readonly AuditSink[];
  readonly metrics: ServiceMetrics;
  readonly unlock: () => void;
}

interface RunningParts {
  readonly http: Http;
  readonly background: Background;
  readonly data: Data;
  readonly health: { closing: boolean };
  readonly unlock: () => void;
}

class RunningService implements Service {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly reloadTls: () => Promise<void>;
  readonly #parts: RunningParts;
  #closing: Promise<void> | undefined;

  constructor(parts: RunningParts) {
    const { url, metricsUrl, reloadTls } = parts.http;
    this.url = url;
    this.metricsUrl = metricsUrl;
    this.reloadTls = reloadTls;
    this.#parts = parts;
  }

  // A property, so that a copy of the service can be closed too.
  readonly close = (graceMs = 0, drainMs = 0): Promise<void> => {
    this.#parts.health.closing = true;
    this.#closing ??= this.#close(graceMs, drainMs);
    return this.#closing;
  };

  async #close(graceMs: number, drainMs: number): Promise<void> {
    const { http, background, data, unlock } = this.#parts;
    if (drainMs > 0) await setTimeout(drainMs);
    try {
      await Promise.all([http.close(graceMs), background.close()]);
      await background.flush();
    } finally {
      await closeData(data);
      unlock();
    }
  }
}
