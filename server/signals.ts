import type { Service } from './service-options.ts';

/** Longer than a request is under way from a client nearby, in milliseconds. */
const defaultGrace = 200;

/**
 * Closes the service in order when the process is told to end (SIGTERM, SIGINT). A second signal ends it at once.
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
