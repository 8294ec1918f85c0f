import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to programs that ask for any (Linux from 32768 on). */
const [first, slots, groups] = [20_000, 16, 798];
let next = 0;

/**
 * A port for a server that has to be told one. Between here and its start no one else may take it: programs that listen on any
 * port gets none of these, and processes at the same moment have other ones. Else a test would speak to a server of another
 * test, and wait for ever for what that never says.
 *
 * @throws Error where all that this process may take are taken
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < slots; tries += 1) {
    const port = first + (process.pid % groups) * slots + next;
    next = (next + 1) % slots;
    if (await isFree(port)) return port;
  }
  throw new Error(`none of the ${slots} ports of process ${process.pid} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
