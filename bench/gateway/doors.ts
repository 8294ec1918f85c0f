import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../test/support/databases/certificates.ts';
import { startPostgres } from '../../test/support/databases/postgres.ts';
import type { DatabaseServer } from '../../test/support/databases/server.ts';
import { freePort } from '../../test/support/free-port.ts';
import { startChild } from '../children/child.ts';
import type { GatewayJob } from '../children/gateway.ts';
import type { PassOnJob } from '../children/pass-on.ts';
import { type Login, makePerson } from './person.ts';

/** One way to the same database. */
export interface Door extends Login {
  /** 'Node' is a process that only passes bytes on. */
  readonly name: 'direct' | 'PgBouncer' | 'gateway' | 'Node';
  readonly port: number;
  readonly isTls: boolean;
  /** Processor time of what stands between client and server so far, in milliseconds. */
  readonly cpu: () => number;
  /** Its resident memory, in bytes. */
  readonly rss: () => Promise<number>;
}

/** What is open for a measurement. */
export class Opened {
  readonly certificates: Certificates = makeCertificates();
  readonly #stops: (() => unknown)[] = [];

  /** @returns what was opened, to be stopped after all that opens later */
  add<T extends { readonly stop: () => unknown }>(one: T): T {
    this.#stops.push(one.stop);
    return one;
  }

  async stop(): Promise<void> {
    for (const one of this.#stops.splice(0).reverse()) await one();
  }
}

/** Directly to a server, without TLS and with it. */
export function directDoors({ user, password, port }: DatabaseServer): Door[] {
  const login = { user, database: 'rolecall', password, port };
  const nothing = { cpu: () => 0, rss: () => Promise.resolve(0) };
  return [false, true].map((isTls) => ({ name: 'direct', isTls, ...login, ...nothing }));
}

/** Two gateways on one store, for a person who reaches one data source: without TLS and with it. */
export async function gatewayDoors(
  protocol: GatewayJob['protocol'],
  configUri: string,
  opened: Opened,
): Promise<Door[]> {
  const { uri: databaseUrl } = opened.add(await startPostgres());
  const environment = { ROLECALL_STORE_KEY: randomBytes(32).toString('base64') };
  const person = await makePerson({ databaseUrl, environment }, configUri);
  const doors: Door[] = [];
  for (const tls of [undefined, certificateFiles(opened)]) {
    const port = await freePort();
    const job: GatewayJob = { databaseUrl, protocol, port, tls };
    const child = opened.add(await startChild('gateway.ts', [JSON.stringify(job)], environment));
    const rss = async (): Promise<number> => (await child.status()).rss;
    doors.push({ name: 'gateway', isTls: tls !== undefined, ...person, port, cpu: () => child.cpu(), rss });
  }
  return doors;
}

/** Through processes of Node that only pass bytes on: what each gateway in Node costs at least. */
export async function nodeDoors(direct: readonly Door[], opened: Opened): Promise<Door[]> {
  const doors: Door[] = [];
  for (const door of direct) {
    const port = await freePort();
    const job: PassOnJob = { port, serverPort: door.port, tls: door.isTls ? certificateFiles(opened) : undefined };
    const child = opened.add(await startChild('pass-on.ts', [JSON.stringify(job)]));
    doors.push({ ...door, name: 'Node', port, cpu: () => child.cpu() });
  }
  return doors;
}

function certificateFiles(opened: Opened): NonNullable<GatewayJob['tls']> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  opened.add({
    stop: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  });
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, opened.certificates.certificate);
  writeFileSync(keyFile, opened.certificates.key);
  return { certFile, keyFile };
}
