import type { Server as HttpsServer } from 'node:https';
import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';
import type { Clock } from '../clock.ts';
import type { StoreKeys } from '../data/store-keys.ts';
import { watchEventLoop } from '../metrics/event-loop.ts';
import type { GaugeSources, ServiceMetrics } from '../metrics/service-metrics.ts';
import type { PersonRouteParts } from '../person-api/routes.ts';
import type { Store } from '../store/store.ts';
import { readPage } from '../web/page.ts';
import { createApp } from './app.ts';
import { KeyAuthenticator } from './authenticate.ts';
import { closeServer } from './close-server.ts';
import { watchConnections } from './connections.ts';
import type { FailedLogins } from './failed-logins.ts';
import { keepCertificate, type TlsReload } from './keep-certificate.ts';
import { defaultLimits, type Limits } from './limits/limits.ts';
import { isOverloaded, type Load, maxUnread, refuseOverload, refuseShare, type Share, shareOf } from './limits/load.ts';
import { GuessLimit, RateLimit } from './limits/rate-limits.ts';
import { metricsAnswer, metricsPath } from './metrics-page.ts';
import type { Health } from './probes.ts';
import type { RouteParts } from './routes.ts';
import { startStatusServer } from './status-server.ts';
import { loadTlsPair, secureContext, type TlsFiles, type TlsPair } from './tls.ts';

/** Addresses, certificate and limits by which clients reach the service, as its operator sets them. */
export interface HttpOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any that is free. */
  port?: number;
  /** Default: plain HTTP. */
  tls?: TlsFiles;
  /** Address at which browsers reach the service; default: the address at which it listens. */
  publicUrl?: string | undefined;
  /** Address at which the page of metrics is read without a key; default: none. */
  metricsListener?: { host: string; port: number };
  limits?: Limits;
  /** Addresses and networks of proxies, whose X-Forwarded-For tells the address of a client. */
  trustedProxies?: readonly string[] | undefined;
  /** Fastify's options of its logger (pino); default: no log. */
  logger?: FastifyServerOptions['logger'];
}

export interface HttpParts extends Omit<RouteParts, 'authenticate'> {
  readonly people: Omit<PersonRouteParts, 'limitRate'>;
  readonly store: Store;
  readonly keys: StoreKeys;
  readonly clock: Clock;
  readonly failedLogins: FailedLogins;
  readonly health: Omit<Health, 'isOverloaded'>;
  readonly metrics: ServiceMetrics;
  readonly queryCounts: GaugeSources['queries'];
  readonly gatewayFigures: GaugeSources['gateway'];
  /** Called with each certificate that is read anew. */
  readonly certificateChanged: (pair: TlsPair) => void;
}

/** Running HTTP server of the service. */
export interface Http {
  readonly url: string;
  /** Undefined without a listener for it. */
  readonly metricsUrl: string | undefined;
  readonly log: FastifyBaseLogger;
  /** Looks at the files of the certificate now; nothing without TLS. */
  readonly reloadTls: () => Promise<void>;
  /** @param graceMs as `closeServer` takes it */
  readonly close: (graceMs: number) => Promise<void>;
}

/** @throws TlsError; Node's own where it cannot listen */
export async function startHttp(parts: HttpParts, options: HttpOptions): Promise<Http> {
  const { metrics } = parts;
  const { host = '127.0.0.1', port = 0, tls: files, publicUrl, metricsListener, trustedProxies = [] } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const pair = files === undefined ? undefined : await loadTlsPair(files);
  const eventLoop = watchEventLoop(metrics.eventLoopDelayed);
  const load: Load = { inFlight: () => watch.inFlight(), eventLoopDelay: eventLoop.delay };
  const { app, watch } = createApp(limitedParts(parts, limits), {
    ...loadOptions(load, limits, parts),
    logger: options.logger,
    tls: pair,
    isHttps: publicUrl === undefined ? pair !== undefined : publicUrl.startsWith('https:'),
    trustedProxies,
    maxConnections: limits.maxConnections,
    page: readPage(),
    metrics,
  });
  const connections = watchConnections(app.server, pair === undefined ? 'connection' : 'secureConnection', {
    perAddress: shareOf(limits.maxConnections),
    trustedProxies,
    unreadMs: limits.unreadMs,
  });
  let reload: TlsReload | undefined;
  metrics.gauges({
    inFlight: watch.inFlight,
    connections: connections.count,
    certificateExpiry: () => reload?.current().expiresAt,
    eventStreams: () => parts.people.services.events.count,
    queries: parts.queryCounts,
    gateway: parts.gatewayFigures,
  });
  try {
    const url = await app.listen({ host, port });
    const answers = { [metricsPath]: () => metricsAnswer(metrics.render) };
    const metricsServer = metricsListener && (await startStatusServer(answers, metricsListener));
    if (files !== undefined && pair !== undefined) {
      const use = (anew: TlsPair): void => {
        // It speaks TLS, so it is a server of HTTPS.
        (app.server as unknown as HttpsServer).setSecureContext(secureContext(anew));
        parts.certificateChanged(anew);
      };
      reload = keepCertificate(files, pair, use, { metrics, log: app.log });
    }
    return {
      url,
      metricsUrl: metricsServer && `${metricsServer.url}${metricsPath}`,
      log: app.log,
      reloadTls: async () => reload?.reload(),
      close: async (graceMs) => {
        reload?.stop();
        await closeServer(app, connections, { graceMs });
        // Closed last, so that the end of the service can be watched.
        await metricsServer?.close();
        eventLoop.stop();
      },
    };
  } catch (error) {
    eventLoop.stop();
    await app.close();
    throw error;
  }
}

/** Options that make the server refuse requests while the service has too many. */
function loadOptions(load: Load, limits: Required<Limits>, { health, metrics }: HttpParts) {
  return {
    health: {
      ...health,
      // As the next request would find it.
      isOverloaded: () => isOverloaded({ ...load, inFlight: () => load.inFlight() + 1 }, limits),
    },
    maxUnread: maxUnread.total,
    refuse: (share: Share) => {
      refuseShare(share, limits.maxInFlight, () => {
        metrics.refused('share');
      });
      refuseOverload(load, limits, () => {
        metrics.refused('overload');
      });
    },
  };
}

/** Holds each API key, each person, and each address without a session, to the same rate. */
function limitedParts(parts: HttpParts, limits: Required<Limits>): RouteParts & { people: PersonRouteParts } {
  const { store, keys, services, clock, metrics, failedLogins } = parts;
  const refused = (): void => {
    metrics.refused('rate_limit');
  };
  const people = new RateLimit(limits, 'one person, or one address,', refused);
  const guesses = new GuessLimit({
    most: limits.maxGuesses,
    now: () => performance.now(),
    refused: () => {
      metrics.refused('guessing');
    },
    unchecked: (address) => {
      failedLogins.note(address, 'too many attempts');
    },
  });
  const { authenticate } = new KeyAuthenticator({
    store,
    keys,
    clock,
    guesses,
    rate: new RateLimit(limits, 'the API key', refused),
    altered: (keyId) => {
      const remedy = 'revoke it with "rolecall keys revoke", make a new key, and find out who can write to the store';
      services.onError(new Error(`the row of the API key ${keyId} was changed in the database: ${remedy}`), 'API key');
    },
    failed: (...attempt) => {
      failedLogins.note(...attempt);
    },
  });
  return {
    ...parts,
    authenticate,
    people: {
      ...parts.people,
      limitRate: (caller) => {
        people.admit(caller);
      },
    },
  };
}
