import { type Dialect, type Found, serverVersion } from '../dialect.ts';
import type { Admitted } from '../guard/index.ts';
import { askChild } from './ask-child.ts';

const busyTimeout = 2000;

/** The version is that of the SQLite in this service: a file has none. */
export const sqlite: Dialect = { readVersion };

async function readVersion(uri: Admitted, signal: AbortSignal): Promise<Found> {
  const answer = await askChild({ file: uri.database, busyTimeout }, signal);
  if ('message' in answer) throw new Error(answer.message);
  return { version: serverVersion('SQLite', answer.version) };
}
