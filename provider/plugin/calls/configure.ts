import { typeOf } from '../framework/schema.ts';
import { answer, type Session } from '../framework/session.ts';
import { readConfig } from './dynamic.ts';
import type { Handlers } from './handlers.ts';

/** Configures the provider, and ends it. */
export function configureCalls<W>(session: Session<W>): Handlers {
  const { provider, log } = session;
  return {
    ConfigureProvider: ({ config, terraformVersion }) => {
      log('info', 'configure', { terraform_version: terraformVersion });
      // What failed in one plan must be said in the next one.
      session.applying = !session.validated;
      return answer(session, 'configure the provider', async ({ report }) => {
        session.configured = await provider.configure(readConfig(typeOf(provider.schema), config), report, log);
        return {};
      });
    },
    StopProvider: () => {
      session.stopping = true;
      session.configured?.stop();
      return {};
    },
  };
}
