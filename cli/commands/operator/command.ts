import { type Command, InvalidArgumentError } from 'commander';
import { addCommand, formatOption, gather, lazily, type Run } from '../../command.ts';

/** `rolecall operator`. */
export function addOperator(program: Command, run: Run): void {
  addCommand(
    program,
    'operator',
    'reconcile the custom resources of a Kubernetes cluster',
    'rolecall operator --kubeconfig ~/.kube/config --namespace team-a',
  )
    .option('--kubeconfig <file>', 'how to reach the cluster (default: KUBECONFIG, the pod it runs in, ~/.kube/config)')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('--namespace <name>', 'look after this namespace only (default: all)')
    .option(
      '--lease-namespace <name>',
      'the namespace of the Lease that decides which of several operators leads (default: its own namespace)',
    )
    .option('--no-leader-election', 'lead without a Lease; only if no other operator runs')
    .option('--workspace-url <url>', 'a service that Workspaces may name, and no others; may be repeated', gather)
    .option(
      '--deny-network <network>',
      'a network that Workspaces must not lead to, such as 10.0.0.0/8; may be repeated',
      gather,
    )
    .option(
      '--allow-network <network>',
      'one that they may lead to although it is denied: in a pod, the pod itself; everywhere, link-local and metadata addresses',
      gather,
    )
    .option(
      '--identity <settings>',
      "the operator's own token for Workspaces without a Secret, as in url=https://workspace.example.com,token-file=/var/run/rolecall/token,namespace=team-a; namespace= once for each that may use it, audience= where it is not the url; may be repeated",
      gather,
    )
    .option(
      '--max-objects <number>',
      'how many objects of one namespace it keeps; large ones count as several (default: 50000)',
      parseCount,
    )
    .option(
      '--drift-interval <duration>',
      'how often workspaces are compared even if nothing has changed in the cluster',
      '60s',
    )
    .option('--metrics-bind-address <address>', 'where Prometheus finds /metrics, such as :8080 (0: nowhere)', '0')
    .option('--health-probe-bind-address <address>', 'where /healthz and /readyz are, such as :8081 (0: nowhere)', '0')
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./operator.ts'), 'operateUntilSignal')));
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}
