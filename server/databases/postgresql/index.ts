import { query, terminate } from '../../protocols/postgresql/requests.ts';
import { tlsWords } from '../../protocols/postgresql/tls.ts';
import { warningOf } from '../../protocols/tls.ts';
import { leave } from '../connections/raw-connection.ts';
import { type Dialect, type Found, serverVersion } from '../dialect.ts';
import type { Admitted } from '../guard/index.ts';
import { askTexts, converse } from './conversation.ts';
import { logIn } from './log-in.ts';

export const postgresql: Dialect = { readVersion };

async function readVersion(uri: Admitted, signal: AbortSignal): Promise<Found> {
  using connection = await logIn(uri, signal);
  const { socket, stream } = connection;
  const [version] = (await askTexts(converse(stream), query.encode('SHOW server_version'))).texts;
  if (version === undefined) throw new Error('the server gave no version');
  const warning = warningOf(stream, socket, uri, tlsWords(uri));
  await leave(stream, terminate);
  return { version: serverVersion('PostgreSQL', version), warning };
}
