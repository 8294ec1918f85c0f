import type { CommonOptions } from '../../command.ts';

/** What `rolecall operator` takes. */
export interface OperatorFlags extends CommonOptions {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  leaseNamespace?: string;
  leaderElection: boolean;
  driftInterval: string;
  metricsBindAddress: string;
  healthProbeBindAddress: string;
}
