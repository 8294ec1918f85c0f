import type { Service } from '@rolecall/server';

/** Longer than a request from a nearby client takes to arrive, in milliseconds. */
const defaultGrace = 200;

/**
 * Closes the service on SIGTERM or SIGINT. A second signal ends the process at once.
 *
 * @returns settles when the service is closed: then the process may exit with 0
 */
export async function closeOnSignal(service: Service, graceMs = defaultGrace): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      process.off('SIGTERM', end);
      process.off('SIGINT', end);
      resolve();
    };
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
  });
  await service.close(graceMs);
}
