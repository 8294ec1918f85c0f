import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { makeCertificates } from '../../../test/support/databases/certificates.ts';
import { startPostgres } from '../../../test/support/databases/postgres.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { type ServerChild, startChild } from '../../children/child.ts';
import type { GatewayJob } from '../../children/gateway.ts';
import { type Login, makePerson } from '../person.ts';
import { findPgBouncer, startPgBouncer } from './pgbouncer.ts';

/** One way to the same PostgreSQL. */
export interface Door extends Login {
  readonly name: 'direct' | 'PgBouncer' | 'gateway';
  readonly port: number;
  readonly isTls: boolean;
  /** Processor time of what stands between client and server so far, in milliseconds. */
  readonly cpu: () => number;
  /** Its resident memory, in bytes. */
  readonly rss: () => Promise<number>;
}

/** The same PostgreSQL directly, through the gateway and, where the machine has it, through PgBouncer; each with TLS and without. */
export interface Doors {
  readonly all: readonly Door[];
  readonly stop: () => Promise<void>;
}

/** @param connections how many PostgreSQL takes */
export async function openDoors(connections: number): Promise<Doors> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  // What starts last stops first.
  const stops: (() => unknown)[] = [
    () => {
      rmSync(folder, { recursive: true, force: true });
    },
  ];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const certificates = makeCertificates();
    const files = { 'server.crt': certificates.certificate, 'server.key': certificates.key };
    const settings = { max_connections: String(connections), shared_buffers: '128MB', ssl: 'on' };
    const server = await startPostgres(settings, files);
    stops.push(server.stop);
    const login = { user: server.user, database: 'rolecall', password: server.password };
    const nothing = { cpu: () => 0, rss: () => Promise.resolve(0) };
    const all: Door[] = [false, true].map((isTls) => ({
      name: 'direct',
      port: server.port,
      isTls,
      ...login,
      ...nothing,
    }));
    const admin = new pg.Client({ connectionString: server.uri });
    await admin.connect();
    stops.push(() => admin.end());
    const storeServer = await startPostgres();
    stops.push(storeServer.stop);
    const store = {
      databaseUrl: storeServer.uri,
      environment: { ROLECALL_STORE_KEY: randomBytes(32).toString('base64') },
    };
    const person = await makePerson(store, `${server.uri}?sslmode=disable`);
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(certFile, certificates.certificate);
    writeFileSync(keyFile, certificates.key);
    const program = findPgBouncer();
    if (program === undefined)
      process.stderr.write('PgBouncer is missing, its part is skipped: apt-get install pgbouncer\n');
    for (const isTls of [false, true]) {
      const tls = isTls ? certificates : undefined;
      if (program !== undefined) {
        const pooler = await startPgBouncer(program, server, { tls, admin });
        stops.push(pooler.stop);
        all.push({ name: 'PgBouncer', isTls, ...login, ...pooler });
      }
      const gateway = await startGateway(store, isTls ? { certFile, keyFile } : undefined);
      stops.push(gateway.stop);
      all.push({ name: 'gateway', isTls, ...person, ...gateway });
    }
    return { all, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startGateway(
  { databaseUrl, environment }: { databaseUrl: string; environment: Record<string, string> },
  tls: GatewayJob['tls'],
): Promise<Pick<Door, 'port' | 'cpu' | 'rss'> & Pick<ServerChild, 'stop'>> {
  const port = await freePort();
  const job: GatewayJob = { databaseUrl, port, tls };
  const child = await startChild('gateway.ts', [JSON.stringify(job)], environment);
  return {
    port,
    cpu: () => child.cpu(),
    rss: async () => (await child.status()).rss,
    stop: () => child.stop(),
  };
}
