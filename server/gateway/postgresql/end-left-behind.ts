import type { ConnectionUri } from '@rolecall/api';
import { withDeadline } from '../../databases/deadline.ts';
import { describeFailure } from '../../databases/failure.ts';
import type { Guard } from '../../databases/guard/index.ts';
import { converse } from '../../databases/postgresql/conversation.ts';
import { logIn } from '../../databases/postgresql/log-in.ts';
import { bind, execute, parse, query, sync } from '../../protocols/postgresql/requests.ts';
import type { LeftBehind } from '../at-server.ts';
import { connectMs } from './upstream.ts';

/** Difference in milliseconds that may lie between the server's beginning of a session and the one by the store's clock. */
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
    const addresses = admitted.addresses.filter((candidate) => candidate.address === address);
    const there = addresses.length > 0 ? { ...admitted, addresses } : admitted;
    using connection = await logIn(there, signal);
    const { ask } = converse(connection.stream);
    // People who share the account may have set a path to operators of their own.
    await ask(query.encode('set search_path = pg_catalog'));
    const terminate = parse.encode(
      '',
      `select pg_terminate_backend(pid) from pg_stat_activity
         join unnest($1::int[], $2::float8[]) as wanted (id, age) on pid = id
         where usename = session_user
           and backend_start > clock_timestamp() - make_interval(secs => age + $3)
           and backend_start < clock_timestamp() - make_interval(secs => age - $4)`,
    );
    const values = [
      `{${left.map(({ processId }) => processId).join()}}`,
      `{${left.map(({ ageMs }) => ageMs / 1000).join()}}`,
      String((connectMs + slackMs) / 1000),
      String(slackMs / 1000),
    ];
    await ask(Buffer.concat([terminate, bind.encode('', '', [], values), execute.encode(''), sync]), () => undefined);
  });
  await ended.catch((error: unknown) => {
    throw new Error(`sessions that a gateway has left at a data source go on there: ${describeFailure(error, uri)}`);
  });
}
