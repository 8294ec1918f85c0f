import { once } from 'node:events';
import { query, terminate } from '../../protocols/postgresql/requests.ts';
import { tlsWords } from '../../protocols/postgresql/tls.ts';
import { warningOf } from '../../protocols/tls.ts';
import { boundSocket } from '../connections/socket.ts';
import { settleWithin } from '../deadline.ts';
import { type Dialect, type Found, serverVersion } from '../dialect.ts';
import type { Admitted } from '../guard/index.ts';
import { askTexts, converse } from './conversation.ts';
import { logIn } from './log-in.ts';

const productName = 'PostgreSQL';
const goodbye = 250;

export const postgresql: Dialect = { readVersion };

async function readVersion(uri: Admitted, signal: AbortSignal): Promise<Found> {
  const socket = boundSocket(productName, uri, signal);
  // An error without a listener would end the process.
  socket.on('error', () => undefined);
  try {
    const { stream } = await logIn(uri, socket);
    const { texts } = await askTexts(converse(stream), query.encode('SHOW server_version'));
    const [version] = texts;
    if (version === undefined) throw new Error('the server gave no version');
    const warning = warningOf(stream, socket, uri, tlsWords(uri));
    const closed = once(stream, 'close');
    stream.end(terminate);
    await settleWithin(goodbye, closed);
    return { version: serverVersion(productName, version), warning };
  } finally {
    socket.destroy();
  }
}
