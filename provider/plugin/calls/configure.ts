import { toDiagnosticMessage } from '../framework/diagnostics.ts';
import { typeOf } from '../framework/schema.ts';
import { attempt, gatherReports, type Session } from '../framework/session.ts';
import { readConfig } from './dynamic.ts';
import type { Handlers } from './handlers.ts';

/** Configures the provider, and ends it. */
export function configureCalls<W>(session: Session<W>): Handlers {
  const { provider, log } = session;
  return {
    ConfigureProvider: async ({ config, terraformVersion }) => {
      const gathered = gatherReports();
      log('info', 'configure', { terraform_version: terraformVersion });
      await attempt(session, gathered, 'configure the provider', async () => {
        session.configured = await provider.configure(
          readConfig(typeOf(provider.schema), config),
          gathered.report,
          log,
        );
      });
      return { diagnostics: gathered.all.map(toDiagnosticMessage) };
    },
    StopProvider: () => {
      session.stopping = true;
      session.configured?.stop();
      return {};
    },
  };
}
