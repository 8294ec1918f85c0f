import { startMariadb } from '../../../test/support/databases/mariadb.ts';
import { type Door, directDoors, gatewayDoors, type Opened } from '../doors.ts';

/**
 * Opens the same MariaDB directly and through the gateway, each with TLS and without.
 *
 * @param connections how many MariaDB takes
 */
export async function openDoors(connections: number, opened: Opened): Promise<Door[]> {
  const { certificate, key } = opened.certificates;
  const options = [
    `--max-connections=${connections}`,
    '--ssl-cert={folder}/server.pem',
    '--ssl-key={folder}/server.key',
  ];
  const server = opened.add(await startMariadb(options, { 'server.pem': certificate, 'server.key': key }));
  return [...directDoors(server), ...(await gatewayDoors('mysql', `${server.uri}?ssl-mode=disabled`, opened))];
}
