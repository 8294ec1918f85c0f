import { randomInt } from 'node:crypto';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { ClientTraits } from '../../databases/mysql/log-in.ts';
import { secureContext, type TlsPair } from '../../http/tls.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import { secure } from '../../protocols/tls.ts';
import { findPersonByUsername } from '../../store/person.ts';
import { type Admitted, admit } from '../admit.ts';
import type { Gateway } from '../gateway.ts';
import { type ListenOptions, type LogIn, type LogIns, listenForClients } from '../log-ins.ts';
import { findPasswords, type LivePassword } from '../passwords.ts';
import type { Protocol } from '../protocol.ts';
import { wantedOfServer } from './capabilities.ts';
import { firstConnectionId } from './commands.ts';
import { MysqlConversation } from './conversation.ts';
import type { ServerId } from './killed-ids.ts';
import { type Answer, LogInExchange, readWanted, type Wanted } from './log-in.ts';
import { connectUpstream, type MysqlUpstream } from './upstream.ts';
import { UserChange } from './user-change.ts';

export interface MysqlListenOptions extends ListenOptions {
  readonly product: 'MySQL' | 'MariaDB';
}

/** What clients are greeted with until a data source was reached. The prefix is MariaDB's own, for clients that misread 10. */
const firstVersions = { MySQL: '8.0.36', MariaDB: '5.5.5-10.6.0-MariaDB' };

/** What a client may learn about a server before it has logged in. */
const plainVersion = /^[\x21-\x7e]{1,80}$/;

/** Lets clients of MySQL and MariaDB in: TLS, log-in, the gate, the connection to the data source; then a session of its own. */
export class MysqlListener {
  readonly #gateway: Gateway;
  readonly #logIns: LogIns;
  /** The open sessions by the ids of their connections that the clients know. */
  readonly #sessions = new Map<number, { readonly person: string; readonly upstream: Current }>();
  #tls: SecureContext | undefined;
  #version: string;
  #server: Server | undefined;

  /** @throws Node's own where it cannot listen */
  static async open(gateway: Gateway, logIns: LogIns, options: MysqlListenOptions): Promise<MysqlListener> {
    const listener = new MysqlListener(gateway, logIns, options);
    listener.#server = await listenForClients(options, (socket, address) => {
      listener.#accept(socket, address);
    });
    return listener;
  }

  private constructor(gateway: Gateway, logIns: LogIns, { tls, product }: MysqlListenOptions) {
    this.#gateway = gateway;
    this.#logIns = logIns;
    this.#version = firstVersions[product];
    if (tls !== undefined) this.setCertificate(tls);
  }

  get port(): number {
    return (this.#server?.address() as AddressInfo).port;
  }

  /** New connections get the new certificate. */
  setCertificate(pair: TlsPair): void {
    this.#tls = createSecureContext(secureContext(pair));
  }

  /** Takes no more connections; those that are open go on. */
  close(): void {
    this.#server?.close();
  }

  #accept(socket: Socket, address: string): void {
    const tls = this.#tls;
    const exchange = new LogInExchange(randomInt(firstConnectionId, 2 * firstConnectionId), tls !== undefined);
    this.#run(socket, address, exchange, async (signal, secured) => {
      exchange.greet(socket, this.#version);
      const answer = await exchange.readAnswer(socket, signal);
      if (answer.kind === 'log in') {
        if (tls !== undefined) {
          throw new FatalError('28000', 'the gateway takes encrypted connections only', 'Connect with TLS.');
        }
        await this.#logIn(socket, address, exchange, answer, signal);
        return;
      }
      if (tls === undefined) throw new FatalError('08P01', 'the gateway did not offer TLS');
      // Clients begin with TLS without an answer. Whatever has come by now goes to it, so nothing in the clear passes for more.
      const stream = secure(socket, tls);
      secured(stream);
      const within = await exchange.readAnswer(stream, signal);
      if (within.kind === 'tls') throw new FatalError('08P01', 'the connection is encrypted already');
      await this.#logIn(stream, address, exchange, within, signal);
    });
  }

  #run(stream: Duplex, address: string, exchange: LogInExchange, work: LogIn): void {
    this.#logIns.run(stream, address, work, (error) => {
      this.#gateway.figures.refused('mysql', error.sqlState);
      return exchange.refusal(error);
    });
  }

  async #logIn(
    stream: Duplex,
    address: string,
    exchange: LogInExchange,
    answer: Extract<Answer, { kind: 'log in' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const readings = readWanted(answer);
    const find = (): Promise<Found[]> => this.#findPasswords(readings);
    const found = await exchange.prove(stream, answer, find, signal).catch(async (error: unknown) => {
      if (error instanceof FatalError && error.sqlState === '28P01') await this.#refused(address, readings);
      throw error;
    });
    const { attributes } = answer;
    const client = attributes['program_name'] ?? attributes['_client_name'] ?? '';
    const { protocol, current } = this.#protocolOf(found, answer);
    const admitted = await admit(this.#gateway, protocol, { stream, password: found, address, client, signal });
    this.#serve(stream, exchange, found.person, admitted, current);
  }

  /** How a session of the person is connected, and followed. */
  #protocolOf(
    found: Found,
    { username, database, capabilities, charset, attributes }: Extract<Answer, { kind: 'log in' }>,
  ): { protocol: Protocol<MysqlUpstream>; current: Current } {
    const now: { charset: number; upstream?: MysqlUpstream } = { charset };
    const protocol: Protocol<MysqlUpstream> = {
      name: 'mysql',
      product: 'MySQL and MariaDB',
      types: ['mysql', 'mariadb'],
      connect: async (uri, bound) => {
        const onServer = found.wanted.database ?? uri.database;
        const wanted = wantedOfServer(capabilities, onServer !== '');
        const traits: ClientTraits = { capabilities: wanted, charset: now.charset, attributes };
        const { spares, parts } = this.#gateway;
        const { guard } = parts;
        now.upstream = await connectUpstream({ ...uri, database: onServer }, traits, { guard, spares }, bound);
        return now.upstream;
      },
      follow: ({ statements, digest, memory, renew }) => {
        const again = async (charset = now.charset): Promise<void> => {
          now.charset = charset;
          await renew();
        };
        const change = new UserChange({ username, database, password: found, renew: again });
        const serverId: ServerId = (id) => this.#serverId(id, found.person, now.upstream?.account);
        return new MysqlConversation(statements, digest, memory, { serverId, change });
      },
    };
    return { protocol, current: () => now.upstream };
  }

  async #findPasswords(readings: readonly Wanted[]): Promise<Found[]> {
    const { store, storeClock, seal } = this.#gateway.parts;
    return store.read(async (executor) => {
      await storeClock.refresh(executor);
      const all = readings.map(async (wanted) => {
        const passwords = await findPasswords(executor, seal, { ...wanted, now: storeClock.now() });
        return passwords.map((password) => ({ ...password, wanted }));
      });
      return (await Promise.all(all)).flat();
    });
  }

  async #refused(address: string, readings: readonly Wanted[]): Promise<void> {
    const { store, refused } = this.#gateway.parts;
    const people = await store.read((executor) =>
      Promise.all(readings.map(({ username }) => findPersonByUsername(executor, username))),
    );
    refused(
      address,
      people.find((person) => person !== undefined),
    );
  }

  /** Finds a session of the same person that the same account may stop. What other people do, one cannot stop. */
  #serverId(id: number, person: string, account: string | undefined): number | undefined {
    const known = this.#sessions.get(id);
    const upstream = known?.person === person ? known.upstream() : undefined;
    return upstream?.account === account ? upstream?.id : undefined;
  }

  #serve(
    stream: Duplex,
    exchange: LogInExchange,
    person: string,
    { open, upstream, begin }: Admitted<MysqlUpstream>,
    current: Current,
  ): void {
    const id = exchange.connectionId;
    if (plainVersion.test(upstream.version)) this.#version = upstream.version;
    this.#sessions.set(id, { person, upstream: current });
    this.#gateway.sessions.add(open);
    exchange.welcome(stream);
    begin(() => {
      this.#sessions.delete(id);
      this.#gateway.sessions.delete(open);
    });
  }
}

/** A password, and the reading of the client's names that it belongs to. */
type Found = LivePassword & { readonly wanted: Wanted };

/** Gives the connection to the database that a session has by then: a client that changes to the user that it is gets another one. */
type Current = () => MysqlUpstream | undefined;
