import type { LateLog } from './background.ts';
import { ExportSlots } from './export/slots.ts';
import type { Services } from './handlers/handler.ts';
import type { FailedLogins } from './http/failed-logins.ts';
import { TokenBuckets } from './http/limits/rate-limits.ts';
import type { ServiceMetrics } from './metrics/service-metrics.ts';
import { Catalogues } from './person-api/catalogues.ts';
import { EventStreams } from './person-api/events/event-streams.ts';
import type { PersonServices } from './person-api/handler.ts';
import { Passages } from './person-api/passages.ts';
import type { ServiceAddresses } from './service-addresses.ts';
import type { ServiceOptions } from './service-options.ts';
import { Guesses } from './sign-in/guesses.ts';
import { OidcProviders } from './sign-in/oidc/providers.ts';
import { PasswordHasher } from './sign-in/password-hash.ts';
import { toolLoginLimit } from './sign-in/tool-logins.ts';
import type { StoreClock } from './store-clock.ts';

export interface PersonParts {
  readonly storeClock: StoreClock;
  readonly failedLogins: FailedLogins;
  readonly metrics: ServiceMetrics;
  readonly addresses: ServiceAddresses;
  readonly log: LateLog;
}

/** Adds to the services of the API what the handlers of the person's API need. */
export function createPersonServices(
  services: Services,
  { storeClock, failedLogins, metrics, addresses, log }: PersonParts,
  { requireTwoFactor = false, adminRole, oidc = [], passwordCost }: ServiceOptions,
): PersonServices {
  const { store, gate, clock, guard, queries, sessions, onError } = services;
  const now = () => performance.now();
  const eventErrors = log.errors('the streams of events cannot read the store');
  return {
    ...services,
    passages: new Passages({ gate, store, clock, onError }),
    exportSlots: new ExportSlots(),
    catalogues: new Catalogues({ gate, guard, queries }),
    signIn: {
      passwords: new PasswordHasher(passwordCost),
      guesses: new Guesses({
        now,
        refused: () => {
          metrics.refused('guessing');
        },
      }),
      toolLogins: new TokenBuckets({ ...toolLoginLimit, now }),
      failed: (address, failure, person) => {
        failedLogins.notePerson(address, failure, person);
      },
      clock: storeClock,
      requireTwoFactor,
    },
    events: new EventStreams({ store, gate, sessions, clock: storeClock, onError: eventErrors }),
    gatewayAddress: (type) => addresses.ofGateway(type),
    adminRole,
    oidc: new OidcProviders(oidc, services.origin),
  };
}
