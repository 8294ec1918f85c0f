import { withData } from '../../../server/data/open-data.ts';
import { insertGatewaySessions, keepGatewayProcess } from '../../../server/store/gateway-session.ts';
import type { TestService } from './service.ts';

let made = 0;

interface Stored {
  readonly person: string;
  readonly dataSource: string;
  readonly leaseMs?: number;
  readonly count?: number;
  /** As the gateway writes it. */
  readonly atServer?: string;
  /** What the program calls itself. */
  readonly client?: string;
}

/** Writes sessions of the gateway into the store, as the process writes them that has them. @returns their ids */
export async function storeGatewaySessions(
  service: TestService,
  { person, dataSource, leaseMs = 60_000, count = 1, client = 'psql', atServer }: Stored,
): Promise<[string, ...string[]]> {
  const process = { id: `gatewayProcess${made}`, name: 'gateway-1/4711' };
  const ids = Array.from({ length: count }, () => `gatewaySession${made++}`);
  await withData(service.store, ({ store }) =>
    store.write([], async (executor) => {
      await keepGatewayProcess(executor, process, leaseMs);
      const from = { protocol: 'postgresql', address: '192.0.2.7', client, atServer: atServer ?? null } as const;
      const startedAt = new Date().toISOString();
      const common = { process: process.id, person, dataSource, startedAt, ...from };
      await insertGatewaySessions(
        executor,
        ids.map((id) => ({ id, ...common })),
      );
    }),
  );
  return ids as [string, ...string[]];
}
