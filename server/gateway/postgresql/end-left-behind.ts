import type { ConnectionUri } from '@rolecall/api';
import { boundSocket } from '../../databases/connections/socket.ts';
import { withDeadline } from '../../databases/deadline.ts';
import { describeFailure } from '../../databases/failure.ts';
import type { Guard } from '../../databases/guard/index.ts';
import { connectClient } from '../../databases/postgresql/client.ts';
import type { LeftBehind } from '../at-server.ts';
import { connectMs, largestMessage } from './upstream.ts';

/** How far the server's beginning of a session may lie from where the store's clock puts it, in milliseconds. */
const slackMs = 5000;

/**
 * Ends sessions at a server of PostgreSQL that their gateway has left there. One that got the process id of another since then
 * began at another time, and stays.
 *
 * @param address of the server
 * @throws why it could not ask the server
 */
export async function endLeftBehind(
  uri: ConnectionUri,
  address: string,
  left: readonly LeftBehind[],
  guard: Guard,
): Promise<void> {
  const ended = withDeadline(connectMs, undefined, async (signal) => {
    const admitted = await guard.admit(uri, signal);
    // Of several servers behind one name, the session is at this one.
    const addresses = admitted.addresses.filter((one) => one.address === address);
    const there = addresses.length > 0 ? { ...admitted, addresses } : admitted;
    const socket = boundSocket('PostgreSQL', there, signal);
    socket.on('error', () => undefined);
    try {
      const client = await connectClient(there, socket, largestMessage);
      // People who share the account may have set a path to operators of their own.
      await client.query("select pg_catalog.set_config('search_path', 'pg_catalog', false)");
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         join unnest($1::int[], $2::float8[]) as wanted (id, age) on pid = id
         where usename = session_user
           and backend_start > clock_timestamp() - make_interval(secs => age + $3)
           and backend_start < clock_timestamp() - make_interval(secs => age - $4)`,
        [
          left.map(({ processId }) => processId),
          left.map(({ ageMs }) => ageMs / 1000),
          (connectMs + slackMs) / 1000,
          slackMs / 1000,
        ],
      );
    } finally {
      socket.destroy();
    }
  });
  await ended.catch((error: unknown) => {
    throw new Error(`sessions that a gateway has left at a data source go on there: ${describeFailure(error, uri)}`);
  });
}
