import { createClient } from '@rolecall/api';
import { createKey, type StoreLocation, startService } from '@rolecall/server';
import { withData } from '../../server/data/open-data.ts';
import { newPassword, storePassword } from '../../server/gateway/passwords.ts';
import { Sessions } from '../../server/sign-in/sessions.ts';
import { StoreClock } from '../../server/store-clock.ts';

/** What a client of the gateway connects with. */
export interface Login {
  readonly user: string;
  readonly database: string;
  readonly password: string;
}

const [dayMs, username, alias] = [86_400_000, 'ada', 'shop'];

/** Makes a person who reaches a data source, and their password for the gateway, in a store without anything. */
export async function makePerson(
  store: StoreLocation & { environment: Record<string, string> },
  configUri: string,
): Promise<Login> {
  const key = await createKey({ ...store, scope: 'admin' });
  const service = await startService({ ...store, allowedNetworks: ['127.0.0.0/8'], limits: { rateLimit: 0 } });
  const client = createClient({ url: service.url, keyId: key.id, keySecret: key.secret });
  const { id: person } = await client.call('createPerson', {
    body: { name: 'Ada Lovelace', username, email: 'ada@example.com' },
  });
  const { id: dataSource } = await client.call('createDataSource', { body: { name: 'Shop', alias, configUri } });
  await client.call('createPermission', { params: { dataSource, person }, body: { duration: dayMs / 1000 } });
  await client.close();
  await service.close();
  const made = await newPassword();
  await withData(store, async ({ store: open, seal, keys }) => {
    const follow = () => keys.follow();
    const sessions = new Sessions({ store: open, seal, clock: new StoreClock(), follow });
    const opening = { person, kind: 'command_line', state: 'whole', factors: ['passkey'] } as const;
    const times = { now: Date.now(), expiresAt: Date.now() + dayMs };
    await open.write([], async (executor) => {
      const session = await sessions.open(executor, { ...opening, address: '127.0.0.1', client: 'bench' });
      await storePassword(executor, seal, { person, dataSource, session: session.id }, made, times);
    });
  });
  return { user: username, database: alias, password: made.password };
}
