import { NetworkError, parseNetwork } from '@rolecall/api/networks';
import { visible } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';

/** @throws CliError that names the option and the network that is not valid */
export function checkNetworks(option: string, networks: readonly string[] = []): readonly string[] {
  for (const network of networks) {
    try {
      parseNetwork(network);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      throw new CliError('ERR_USAGE', `${option} ${visible(network)} ${error.message}`);
    }
  }
  return networks;
}
