import { setTimeout } from 'node:timers/promises';
import { Gate } from './access/gate.ts';
import { type AuditSink, parseAuditSinks } from './audit/sink.ts';
import { Background, LateLog } from './background.ts';
import { systemClock } from './clock.ts';
import { lockDataFolder, prepareDataFolder } from './data/data-folder.ts';
import { type Data, openData } from './data/open-data.ts';
import { requireOnePlace, type StoreLocation } from './data/store-location.ts';
import { createGuard, type Guard } from './databases/guard/index.ts';
import { testConnection } from './databases/index.ts';
import type { GatewayParts } from './gateway/gateway.ts';
import { addressesOf, RunningGateway } from './gateway/index.ts';
import type { Services } from './handlers/handler.ts';
import { handlers } from './handlers/index.ts';
import { checkAnswer } from './http/check-answer.ts';
import type { FailedLogins, LoginFailure } from './http/failed-logins.ts';
import { type Http, type HttpParts, startHttp } from './http/start-http.ts';
import { loadTlsPair } from './http/tls.ts';
import { ListCache } from './list-cache.ts';
import { createServiceMetrics, type ServiceMetrics } from './metrics/service-metrics.ts';
import type { EventStreams } from './person-api/events/event-streams.ts';
import { personHandlers } from './person-api/handlers/index.ts';
import { createPersonServices, type PersonParts } from './person-services.ts';
import { ServiceAddresses } from './service-addresses.ts';
import type { Service, ServiceOptions } from './service-options.ts';
import { Mailer } from './sign-in/mailer.ts';
import type { PasswordHasher } from './sign-in/password-hash.ts';
import { Sessions } from './sign-in/sessions.ts';
import { PasswordComparison } from './snapshot/comparison.ts';
import { SnapshotSlots } from './snapshot/slots.ts';
import { readStoreIdentity } from './store/store-meta.ts';
import { StoreClock } from './store-clock.ts';
import { TokenExchange } from './tokens/exchange.ts';
import { readVersion } from './version.ts';

/** Bytes that all kept lists together may take. */
const listCacheBytes = 64 * 1024 * 1024;

/**
 * Starts the workspace service on a store. Prints nothing.
 *
 * @throws AuditSinkError, MailOptionsError, NetworkError, StoreLocationError, StoreUrlError, StoreLockedError, StoreVersionError, StoreKeyError,
 *   StoreUnavailableError; Node's own where it cannot listen
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { environment = process.env } = options;
  const guard = guardOf(options);
  const sinks = parseAuditSinks(options.auditSinks ?? [], {
    value: environment['ROLECALL_AUDIT_SINK_AUTHORIZATION'],
    file: options.auditSinkAuthorizationFile,
  });
  const mailer = options.mail === undefined ? undefined : new Mailer(options.mail);
  const unlock = lockPlace(options);
  try {
    const metrics = createServiceMetrics(readVersion());
    const data = await openData(options, environment, metrics.groupCommitted);
    try {
      const timed = { ...data, store: metrics.timeWrites(data.store) };
      return await serve(timed, options, { guard, sinks, metrics, mailer, unlock });
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
async function serve(data: Data, options: ServiceOptions, parts: ServeParts): Promise<RunningService> {
  const { guard, sinks, metrics, mailer, unlock } = parts;
  const { clock = systemClock, checkAnswers = false } = options;
  const log = new LateLog();
  const { store, seal, digest, keys } = data;
  const storeClock = new StoreClock();
  const sessions = new Sessions({
    store,
    seal,
    clock: storeClock,
    follow: () => keys.follow(),
    ...(options.sessionLengths === undefined ? {} : { lengths: options.sessionLengths }),
  });
  const background = await Background.start({ data, guard, clock, sessions, metrics, sinks, log }, options);
  const { queries, failedLogins } = background;
  const exchange = createExchange(data, failedLogins, log, options);
  const addresses = new ServiceAddresses(options);
  const gate = new Gate({ store, clock: storeClock, onError: log.errors('the gate cannot read the store') });
  const services: Services = {
    store,
    storeIdentity: await readStoreIdentity(store),
    seal,
    digest,
    clock,
    lists: new ListCache(store, listCacheBytes),
    queries,
    guard,
    testConnection: (uri) => testConnection(uri, { guard }),
    auditStatements: options.auditStatements ?? 'text',
    exchange: (token, asker) => exchange.exchange(token, asker),
    origin: () => addresses.origin(),
    sessions,
    adminRole: options.adminRole,
    snapshotSlots: new SnapshotSlots(),
    comparison: new PasswordComparison(),
    gate,
    mailer,
    onError: (err, what) => {
      log.error({ err }, what);
    },
  };
  const personServices = createPersonServices(services, { storeClock, failedLogins, metrics, addresses, log }, options);
  const { events } = personServices;
  const { passwords } = personServices.signIn;
  const checked = checkAnswers ? { checkAnswer } : {};
  const people = { ...checked, handlers: personHandlers, services: personServices };
  const health = { closing: false, isClosing: () => health.closing, checkStore: () => keys.follow() };
  const http = { handlers, services, people, ...checked, store, failedLogins, keys, clock, health, metrics };
  try {
    const listening = await listen(http, { storeClock, addresses, log }, options);
    return new RunningService({ ...listening, background, gate, events, passwords, data, health, unlock });
  } catch (error) {
    await events.close();
    await gate.close();
    await background.close();
    await background.flush();
    throw error;
  }
}

/** Makes the exchange of pipelines' tokens for API keys. */
function createExchange(
  { store, seal, keyHash }: Data,
  failedLogins: FailedLogins,
  { warn }: LateLog,
  { clock = systemClock, trust = [] }: ServiceOptions,
): TokenExchange {
  const failed = (address: string, reason: LoginFailure): void => {
    failedLogins.note(address, reason);
  };
  return new TokenExchange({ store, seal, keyHash, clock, rules: trust, warn, failed });
}

/** Opens the ports: the page's, then the gateway's. */
async function listen(
  parts: Omit<HttpParts, 'queryCounts' | 'gatewayFigures' | 'certificateChanged'>,
  { storeClock, addresses, log }: Omit<PersonParts, 'failedLogins' | 'metrics'>,
  options: ServiceOptions,
): Promise<{ http: Http; gateway: RunningGateway | undefined }> {
  const { services, failedLogins } = parts;
  const http = await startHttp(
    {
      ...parts,
      queryCounts: () => services.queries.counts(),
      gatewayFigures: () => addresses.gateway?.figures(),
      certificateChanged: (pair) => addresses.gateway?.setCertificate(pair),
    },
    options,
  );
  log.begin(http.log);
  addresses.pageListens(http.url);
  const refused: GatewayParts['refused'] = (address, person) => {
    failedLogins.notePerson(address, { factor: 'gateway_password', reason: 'wrong' }, person);
  };
  try {
    const endsSoonEveryMs = options.gatewayEndsSoonEveryMs;
    const gateway = await startGateway({ ...services, storeClock, refused, endsSoonEveryMs }, options);
    addresses.gatewayListens(gateway);
    return { http, gateway };
  } catch (error) {
    await http.close(0);
    throw error;
  }
}

async function startGateway(parts: GatewayParts, options: ServiceOptions): Promise<RunningGateway | undefined> {
  const addresses = addressesOf(options);
  if (Object.keys(addresses).length === 0) return undefined;
  const { tls } = options;
  return RunningGateway.start(parts, addresses, tls === undefined ? undefined : await loadTlsPair(tls));
}

interface ServeParts {
  readonly guard: Guard;
  readonly sinks: readonly AuditSink[];
  readonly metrics: ServiceMetrics;
  readonly mailer: Mailer | undefined;
  readonly unlock: () => void;
}

interface RunningParts {
  readonly http: Http;
  readonly gateway: RunningGateway | undefined;
  readonly background: Background;
  readonly gate: Gate;
  readonly events: EventStreams;
  readonly passwords: PasswordHasher;
  readonly data: Data;
  readonly health: { closing: boolean };
  readonly unlock: () => void;
}

class RunningService implements Service {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly gatewayPorts: Service['gatewayPorts'];
  readonly reloadTls: () => Promise<void>;
  readonly #parts: RunningParts;
  #closing: Promise<void> | undefined;

  constructor(parts: RunningParts) {
    const { url, metricsUrl, reloadTls } = parts.http;
    this.url = url;
    this.metricsUrl = metricsUrl;
    this.gatewayPorts = parts.gateway?.ports ?? {};
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
    const { http, gateway, background, gate, events, passwords, data, unlock } = this.#parts;
    await Promise.all([gateway?.close(drainMs), drainMs > 0 ? setTimeout(drainMs) : undefined]);
    // First: a client that is told nothing any more leaves its connection idle, and idle connections are closed.
    await events.close();
    try {
      await Promise.all([http.close(graceMs), background.close(), gate.close()]);
      await Promise.all([background.flush(), passwords.close()]);
    } finally {
      await closeData(data);
      unlock();
    }
  }
}
