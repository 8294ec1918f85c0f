import { connect } from 'node:net';

/**
 * Sends bytes as they are and gives all that comes back until the service closes the connection, or `until` matches.
 *
 * @param parts are sent one after the other
 */
export function sendRaw(url: string, parts: readonly (string | Uint8Array)[], until?: RegExp): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    const finish = () => {
      clearTimeout(limit);
      socket.destroy();
      resolve(received);
    };
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end within 15 s, after ${JSON.stringify(received)}`));
    }, 15_000);
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      received += String(chunk);
      if (until?.test(received) === true) finish();
    });
    socket.on('close', finish);
    // A reset after the answer is the service's right; before it, the test fails on what is missing.
    socket.on('error', finish);
    for (const part of parts) socket.write(part);
  });
}
