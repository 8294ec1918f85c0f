import { OptionsError } from '@rolecall/api';
import { parseDuration } from '@rolecall/crds';
import {
  type AddressRules,
  allowAddresses,
  BindAddressError,
  type Connection,
  ConnectionError,
  findConnection,
  HttpSession,
  keepHeapSmall,
  type LeadBy,
  leaseName,
  OperatorMetrics,
  parseBindAddress,
  runOperator,
  serveStatus,
  systemClock,
} from '@rolecall/operator';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { checkNetworks } from '../../options/networks.ts';
import { optionValue } from '../../options/option-value.ts';
import { watchSignals } from '../../process/signals.ts';
import { readVersion } from '../../version.ts';
import { readIdentities } from './identities.ts';
import { createLog } from './log.ts';

/** Flags of `rolecall operator`. */
interface OperatorFlags extends CommonOptions {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  leaseNamespace?: string;
  leaderElection: boolean;
  workspaceUrl?: string[];
  denyNetwork?: string[];
  allowNetwork?: string[];
  identity?: string[];
  maxObjects?: number;
  driftInterval: string;
  metricsBindAddress: string;
  healthProbeBindAddress: string;
}

/**
 * Runs the operator, and ends it in order at the first signal: what is under way is finished and the Lease given back. The
 * second signal ends it at once.
 *
 * @throws CliError when there is no way to a cluster, or another process leads now: start it again
 */
export async function operateUntilSignal(context: Context, flags: OperatorFlags): Promise<ExitCode> {
  const { io, output } = context;
  const log = createLog(io, output.format, systemClock.now);
  const driftMs = readInterval(flags.driftInterval) * 1000;
  const addresses = {
    metrics: readAddress('--metrics-bind-address', flags.metricsBindAddress),
    probes: readAddress('--health-probe-bind-address', flags.healthProbeBindAddress),
  };
  const identities = readIdentities(flags.identity);
  const connection = await connect(flags, io.env);
  const rules = readAddressRules(flags, connection);
  const metrics = new OperatorMetrics(systemClock, new URL(connection.url).host, readVersion());
  const stopped = new AbortController();
  using _signals = watchSignals(
    io.signals,
    () => {
      stopped.abort();
    },
    () => process.exit(exitCodes.interrupted),
  );
  await using session = new HttpSession({
    connection,
    clock: systemClock,
    userAgent: `rolecall-operator/${readVersion()}`,
    onAnswer: metrics.answered,
    onPing: metrics.contact.heard,
    unknownRemedy: 'install the kinds with `kubectl apply -f crds/manifests`',
  });
  await using status = await serveStatus(metrics, addresses);
  const leaseNamespace = flags.leaseNamespace ?? flags.namespace ?? connection.namespace;
  const lease: LeadBy = {
    namespace: leaseNamespace,
    name: leaseName,
    onWaiting: (leader) => {
      log('info', `this process waits: ${visible(leader)} leads by the Lease ${leaseNamespace}/${leaseName}`);
    },
  };
  announce(output, connection.url, flags.namespace, status);
  const end = await runOperator(
    {
      session,
      clock: systemClock,
      namespace: flags.namespace,
      lease: flags.leaderElection ? lease : undefined,
      driftMs,
      addresses: rules,
      identities,
      maxObjects: flags.maxObjects,
      onListed: keepHeapSmall,
      metrics,
      log,
    },
    stopped.signal,
  );
  if (end === 'stopped') return exitCodes.ok;
  throw new CliError(
    'ERR_LEADERSHIP_LOST',
    `the Lease ${leaseName} was lost to another replica: start the operator again, and it waits for its turn`,
  );
}

/** Says what is followed, and where the metrics and probes are, if anywhere. */
function announce(
  output: Context['output'],
  url: string,
  namespace: string | undefined,
  { metrics: metricsUrl, probes: probesUrl }: Awaited<ReturnType<typeof serveStatus>>,
): void {
  output.document({
    url,
    ...(namespace === undefined ? {} : { namespace }),
    ...(metricsUrl === undefined ? {} : { metricsUrl }),
    ...(probesUrl === undefined ? {} : { probesUrl }),
  });
  output.say(`The operator follows ${namespace ?? 'all namespaces'} of ${url}. Ctrl-C stops it.`);
  if (metricsUrl !== undefined) output.say(`Metrics: ${metricsUrl}`);
  if (probesUrl !== undefined) output.say(`Probes: ${probesUrl}/healthz and /readyz`);
}

async function connect(flags: OperatorFlags, env: NodeJS.ProcessEnv): Promise<Connection> {
  try {
    return await findConnection(flags, env);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    throw new CliError('ERR_KUBECONFIG', error.message);
  }
}

/** Outside a pod, this machine's own services are what a person tries the operator with. */
function readAddressRules(flags: OperatorFlags, { isPod }: Connection): AddressRules {
  const { workspaceUrl: urls, denyNetwork, allowNetwork = [] } = flags;
  const allowed = isPod === true ? allowNetwork : [...allowNetwork, '127.0.0.0/8', '::1'];
  const rules = {
    urls,
    denied: checkNetworks('--deny-network', denyNetwork),
    allowed: checkNetworks('--allow-network', allowed),
  };
  try {
    allowAddresses(rules);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    throw new CliError('ERR_USAGE', `--workspace-url: ${error.message}`);
  }
  return rules;
}

function readInterval(text: string): number {
  return optionValue('--drift-interval', text, parseDuration, 'write 30s, 1m or 1h');
}

function readAddress(option: string, text: string) {
  try {
    return parseBindAddress(text);
  } catch (error) {
    if (!(error instanceof BindAddressError)) throw error;
    throw new CliError('ERR_USAGE', `${option} ${visible(text)} ${error.message}`);
  }
}
