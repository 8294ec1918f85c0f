import { quit } from '../../protocols/mysql/requests.ts';
import { tlsWords } from '../../protocols/mysql/tls.ts';
import { warningOf } from '../../protocols/tls.ts';
import { leave } from '../connections/raw-connection.ts';
import { type Dialect, type Found, type ServerVersion, serverVersion } from '../dialect.ts';
import type { Admitted } from '../guard/index.ts';
import { askTexts, converse } from './conversation.ts';
import { logIn } from './log-in.ts';

/** MySQL and MariaDB share a protocol. The server's own version tells them apart, not the URI's scheme. */
export const mysql: Dialect = { readVersion };

async function readVersion(uri: Admitted, signal: AbortSignal): Promise<Found> {
  using connection = await logIn(uri, signal);
  const { socket, stream } = connection;
  const [version] = await askTexts(converse(connection), 'SELECT VERSION()');
  if (version === undefined || version === null) throw new Error('the server gave no version');
  const warning = warningOf(stream, socket, uri, tlsWords(uri));
  await leave(stream, quit);
  return { version: productOf(version), warning };
}

/** MariaDB prefixes its version with 5.5.5-, for clients that misread versions from 10 on. */
export function productOf(version: string): ServerVersion {
  if (!/mariadb/i.test(version)) return serverVersion('MySQL', version);
  return serverVersion('MariaDB', version.replace(/^5\.5\.5-(?=\d)/, ''));
}
