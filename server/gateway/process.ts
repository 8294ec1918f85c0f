import { jsonMediaType } from '@rolecall/api';
import fastify from 'fastify';
import { Gate } from '../access/gate.ts';
import { LateLog } from '../background.ts';
import { type Clock, systemClock } from '../clock.ts';
import { type Data, openData } from '../data/open-data.ts';
import { createGuard, type Guard } from '../databases/guard/index.ts';
import { FailedLogins } from '../http/failed-logins.ts';
import { keepCertificate } from '../http/keep-certificate.ts';
import { metricsAnswer, metricsPath } from '../http/metrics-page.ts';
import { type StatusAnswer, startStatusServer } from '../http/status-server.ts';
import { loadTlsPair, type TlsPair } from '../http/tls.ts';
import { watchEventLoop } from '../metrics/event-loop.ts';
import { createServiceMetrics } from '../metrics/service-metrics.ts';
import type { GatewayOptions, GatewayProcess } from '../service-options.ts';
import type { Store } from '../store/store.ts';
import { StoreClock } from '../store-clock.ts';
import { readVersion } from '../version.ts';
import { addressesOf, RunningGateway } from './index.ts';
import { SessionsLeftBehind } from './left-behind.ts';

/**
 * Starts a gateway on a store that services share. Prints nothing.
 *
 * @throws NetworkError, TlsError, StoreUrlError, StoreVersionError, StoreKeyError, StoreUnavailableError; Node's own where it
 *   cannot listen
 */
export async function startGateway(options: GatewayOptions): Promise<GatewayProcess> {
  const { clock = systemClock, environment = process.env, databaseUrl, metricsListener, tls: files } = options;
  const networks = { denied: options.deniedNetworks ?? [], allowed: options.allowedNetworks ?? [] };
  const guard = createGuard({ networks });
  const pair = files === undefined ? undefined : await loadTlsPair(files);
  const metrics = createServiceMetrics(readVersion());
  const log = new LateLog();
  // It listens nowhere: only its log is used.
  log.begin(fastify({ logger: options.logger ?? false }).log);
  const end = { isNear: false, graceMs: 0 };
  // Closed in the reverse order.
  await using opened = new AsyncDisposableStack();
  const data = await openData({ databaseUrl }, environment, metrics.groupCommitted);
  const { keys, spool } = data;
  opened.defer(async () => {
    await Promise.all([data.store.close(), spool.close()]);
  });
  const store = metrics.timeWrites(data.store);
  const answers = {
    [metricsPath]: () => metricsAnswer(metrics.render),
    ...probes({ isClosing: () => end.isNear, checkStore: () => keys.follow() }),
  };
  // Closed late, so that the end of the process can be watched.
  const status = metricsListener && (await startStatusServer(answers, metricsListener));
  opened.defer(() => status?.close());
  const eventLoop = watchEventLoop(metrics.eventLoopDelayed);
  opened.defer(() => {
    eventLoop.stop();
  });
  const gateway = await startDoors(opened, { data, store, guard, clock, log }, options, pair);
  opened.defer(() => gateway.close(end.graceMs));
  const use = gateway.setCertificate.bind(gateway);
  const tls = files && pair && keepCertificate(files, pair, use, { metrics, log });
  opened.defer(() => tls?.stop());
  metrics.gauges({ gateway: () => gateway.figures(), certificateExpiry: () => tls?.current().expiresAt });
  const all = opened.move();
  let closing: Promise<void> | undefined;
  return {
    gatewayPorts: gateway.ports,
    statusUrl: status?.url,
    reloadTls: async () => tls?.reload(),
    close: (graceMs = 0) => {
      Object.assign(end, { isNear: true, graceMs });
      closing ??= all.disposeAsync();
      return closing;
    },
  };
}

interface DoorParts {
  readonly data: Pick<Data, 'seal' | 'digest'>;
  readonly store: Store;
  readonly guard: Guard;
  readonly clock: Clock;
  readonly log: LateLog;
}

/** Lets clients in. @param opened closes what decides about them */
async function startDoors(
  opened: AsyncDisposableStack,
  { data: { seal, digest }, store, guard, clock, log }: DoorParts,
  options: GatewayOptions,
  tls: TlsPair | undefined,
): Promise<RunningGateway> {
  const failedLogins = new FailedLogins(store, clock, log.errors('failed log-ins are not in the audit trail yet'));
  opened.defer(() => failedLogins.stop());
  const onError = log.errors('sessions that a gateway has left behind');
  const leftBehind = new SessionsLeftBehind({ store, seal, guard, onError });
  opened.defer(() => leftBehind.close());
  const storeClock = new StoreClock();
  const gate = new Gate({ store, clock: storeClock, onError: log.errors('the gate cannot read the store') });
  opened.defer(() => gate.close());
  return RunningGateway.start(
    {
      ...{ store, seal, digest, clock, storeClock, gate, guard },
      auditStatements: options.auditStatements ?? 'text',
      refused: (address, person) => {
        failedLogins.notePerson(address, { factor: 'gateway_password', reason: 'wrong' }, person);
      },
      onError: (err, what) => {
        log.error({ err }, what);
      },
    },
    addressesOf(options),
    tls,
  );
}

/** Makes the answers to the probes of a scheduler, in the words of the service. */
function probes({ isClosing, checkStore }: { isClosing: () => boolean; checkStore: () => Promise<void> }) {
  const tell = (status: number, told: object): StatusAnswer => ({
    status,
    type: jsonMediaType,
    body: JSON.stringify(told),
  });
  // Many at a time cost the store one read.
  let checking: Promise<void> | undefined;
  return {
    // Says only that the process answers.
    '/healthz': () => tell(200, { status: 'ok' }),
    '/readyz': async () => {
      if (isClosing()) return tell(503, { status: 'the gateway is shutting down' });
      try {
        await (checking ??= checkStore().finally(() => {
          checking = undefined;
        }));
        return tell(200, { status: 'ready' });
      } catch {
        return tell(503, { status: 'the store cannot be used' });
      }
    },
  };
}
