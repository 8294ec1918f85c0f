import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type SecureContext, TLSSocket } from 'node:tls';
import { ReusedReads } from '../../server/databases/connections/reused-reads.ts';
import { Door } from '../../server/gateway/door.ts';
import { loadTlsPair, type TlsFiles } from '../../server/http/tls.ts';
import { readExactly } from '../../server/protocols/read-exactly.ts';

/** A process that only passes bytes on between clients and a PostgreSQL on this machine: what a gateway in Node costs at least. */
export interface PassOnJob {
  readonly port: number;
  /** The port of PostgreSQL, without TLS. */
  readonly serverPort: number;
  readonly tls: TlsFiles | undefined;
}

const host = '127.0.0.1';
const { port, serverPort, tls } = JSON.parse(process.argv[2] ?? '') as PassOnJob;
const pair = tls && (await loadTlsPair(tls));
await Door.open({ host, port, tls: pair }, (client, _address, secure) => {
  if (secure === undefined) passOn(client);
  else takeTls(client, secure).catch(() => client.destroy());
});

/** Does without the care for clients that do not read: the answers of a SELECT of one row are short. */
function passOn(client: Duplex): void {
  const reads = new ReusedReads();
  const server = new Socket(reads.options);
  reads.attach(server);
  reads.take(
    (chunk) => client.write(chunk),
    () => client.writableLength === 0,
  );
  const fromClient = (chunk: Buffer): void => void server.write(chunk);
  client.on('data', fromClient);
  ReusedReads.of(client)?.take(fromClient, () => server.writableLength === 0);
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  for (const stream of [client, server]) stream.on('error', end).on('close', end);
  server.setNoDelay().connect(serverPort, host);
}

/** Answers the request for TLS that a client of PostgreSQL begins with. */
async function takeTls(client: Socket, context: SecureContext): Promise<void> {
  client.on('error', () => client.destroy());
  await readExactly(client, 8, new AbortController().signal);
  client.write('S');
  passOn(new TLSSocket(client, { isServer: true, secureContext: context }));
}

process.on('SIGTERM', () => process.exit(0));
// A benchmark that fails leaves nothing behind.
process.on('disconnect', () => process.exit(1));
process.send?.('');
