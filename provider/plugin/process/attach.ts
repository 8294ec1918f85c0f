import { openProvider } from '../calls/methods.ts';
import type { Provider } from '../framework/provider.ts';
import type { Log } from './log.ts';
import { listen } from './serve.ts';

export interface Attached {
  /** What TF_REATTACH_PROVIDERS must be for Terraform to use this process. */
  readonly variable: string;
  readonly close: () => void;
}

/**
 * Serves a provider from this process, for Terraform to attach to: for debuggers and tests. There is no TLS, as the
 * socket is this user's own.
 *
 * @param address such as `registry.terraform.io/rolecall/rolecall`
 */
export async function serveAttached<W>(provider: Provider<W>, address: string, log: Log): Promise<Attached> {
  const load = () => Promise.resolve((to: Log) => openProvider(provider, to));
  const listener = await listen({ load, schema: undefined }, log, undefined, () => undefined);
  const variable = JSON.stringify({
    [address]: {
      Protocol: 'grpc',
      ProtocolVersion: 6,
      Pid: process.pid,
      Test: true,
      Addr: { Network: listener.network, String: listener.address },
    },
  });
  return { variable, close: listener.close };
}
