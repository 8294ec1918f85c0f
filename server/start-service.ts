import type { Service, ServiceOptions } from './service.ts';

/**
 * Starts the workspace service on a store. Prints nothing. What serves HTTP is loaded only now: whoever reads a store, or
 * makes a key, has no use for it.
 *
 * @throws NetworkError, StoreLocationError, StoreUrlError, StoreLockedError, StoreVersionError, StoreKeyError,
 *   StoreUnavailableError; Node's own where it cannot listen
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  return (await import('./service.ts')).startService(options);
}
