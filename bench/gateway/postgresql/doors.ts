import pg from 'pg';
import { startPostgres } from '../../../test/support/databases/postgres.ts';
import { type Door, directDoors, gatewayDoors, nodeDoors, type Opened } from '../doors.ts';
import { findPgBouncer, startPgBouncer } from './pgbouncer.ts';

/**
 * Opens the same PostgreSQL directly, through the gateway, through a process of Node that only passes bytes on and, where the
 * machine has it, through PgBouncer; each with TLS and without.
 *
 * @param connections how many PostgreSQL takes
 */
export async function openDoors(connections: number, opened: Opened): Promise<Door[]> {
  const { certificate, key } = opened.certificates;
  const settings = { max_connections: String(connections), shared_buffers: '128MB', ssl: 'on' };
  const server = opened.add(await startPostgres(settings, { 'server.crt': certificate, 'server.key': key }));
  const admin = new pg.Client({ connectionString: server.uri });
  await admin.connect();
  opened.add({ stop: () => admin.end() });
  const direct = directDoors(server);
  const others = [
    ...(await gatewayDoors('postgresql', `${server.uri}?sslmode=disable`, opened)),
    ...(await nodeDoors(direct, opened)),
  ];
  const program = findPgBouncer();
  if (program === undefined) {
    process.stderr.write('PgBouncer is missing, its part is skipped: apt-get install pgbouncer\n');
    return [...direct, ...others];
  }
  const poolers: Door[] = [];
  for (const door of direct) {
    const tls = door.isTls ? opened.certificates : undefined;
    poolers.push({ ...door, name: 'PgBouncer', ...opened.add(await startPgBouncer(program, server, { tls, admin })) });
  }
  return [...direct, ...poolers, ...others];
}
