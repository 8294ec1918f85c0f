import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { ClientTraits } from '../../databases/mysql/log-in.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import { secure } from '../../protocols/tls.ts';
import { Door, type ListenOptions } from '../door.ts';
import type { Gateway } from '../gateway.ts';
import { type Arrival, type Found, handleClient, provePassword } from '../handle-client.ts';
import type { LogIn, LogIns } from '../log-ins.ts';
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

/** Versions in the greeting until a data source was reached. The prefix is MariaDB's own, for clients that misread 10. */
const firstVersions = { MySQL: '8.0.36', MariaDB: '5.5.5-10.6.0-MariaDB' };

/** Version of a server, as a client may learn it before it has logged in. */
const plainVersion = /^[\x21-\x7e]{1,80}$/;

/** Lets clients of MySQL and MariaDB in: TLS, log-in, the gate, the connection to the data source; then a session of its own. */
export class MysqlListener {
  readonly #gateway: Gateway;
  readonly #logIns: LogIns;
  /** The open sessions by the ids of their connections that the clients know. */
  readonly #sessions = new Map<number, { readonly person: string; readonly upstream: Current }>();
  #version: string;

  /** @throws the listen error (EADDRINUSE, EACCES) */
  static open(gateway: Gateway, logIns: LogIns, options: MysqlListenOptions): Promise<Door> {
    const listener = new MysqlListener(gateway, logIns, firstVersions[options.product]);
    return Door.open(options, (socket, address, tls) => {
      listener.#accept(socket, address, tls);
    });
  }

  private constructor(gateway: Gateway, logIns: LogIns, version: string) {
    this.#gateway = gateway;
    this.#logIns = logIns;
    this.#version = version;
  }

  #accept(socket: Socket, address: string, tls: SecureContext | undefined): void {
    const exchange = new LogInExchange(randomInt(firstConnectionId, 2 * firstConnectionId), tls !== undefined);
    const work: LogIn = async (signal, secured, letIn) => {
      const arrival = { stream: socket, address, signal, letIn };
      exchange.greet(socket, this.#version);
      const answer = await exchange.readAnswer(socket, signal);
      if (answer.kind === 'log in') {
        if (tls !== undefined) {
          throw new FatalError('28000', 'the gateway takes encrypted connections only', 'Connect with TLS.');
        }
        await this.#logIn(arrival, exchange, answer);
        return;
      }
      if (tls === undefined) throw new FatalError('08P01', 'the gateway did not offer TLS');
      // Clients begin with TLS without an answer. Whatever has come by now goes to it, so nothing in the clear passes for more.
      const stream = secure(socket, tls);
      secured(stream);
      const within = await exchange.readAnswer(stream, signal);
      if (within.kind === 'tls') throw new FatalError('08P01', 'the connection is encrypted already');
      await this.#logIn({ ...arrival, stream }, exchange, within);
    };
    this.#logIns.run(socket, address, work, (error) => {
      this.#gateway.figures.refused('mysql', error.sqlState);
      return exchange.refusal(error);
    });
  }

  async #logIn(arrival: Arrival, exchange: LogInExchange, answer: Extract<Answer, { kind: 'log in' }>): Promise<void> {
    const { stream, address, signal } = arrival;
    const readings = readWanted(answer);
    const password = await provePassword(this.#gateway.parts, address, readings, (find) =>
      exchange.prove(stream, answer, find, signal),
    );
    const { attributes } = answer;
    const name = attributes['program_name'] ?? attributes['_client_name'] ?? '';
    const protocol = this.#protocolOf(stream, exchange, password, answer);
    await handleClient(this.#gateway, protocol, { ...arrival, password, name });
  }

  /** Gives the protocol of a session of the person. */
  #protocolOf(
    stream: Duplex,
    exchange: LogInExchange,
    password: Found<Wanted>,
    { username, database, capabilities, charset, attributes }: Extract<Answer, { kind: 'log in' }>,
  ): Protocol<MysqlUpstream> {
    const now: { charset: number; upstream?: MysqlUpstream } = { charset };
    return {
      name: 'mysql',
      product: 'MySQL and MariaDB',
      types: ['mysql', 'mariadb'],
      connect: async (uri, bound) => {
        const onServer = password.wanted.database ?? uri.database;
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
        const change = new UserChange({ username, database, password, renew: again });
        const serverId: ServerId = (id) => this.#serverId(id, password.person, now.upstream?.account);
        return new MysqlConversation(statements, digest, memory, { serverId, change });
      },
      welcome: ({ version }) => {
        const id = exchange.connectionId;
        if (plainVersion.test(version)) this.#version = version;
        this.#sessions.set(id, { person: password.person, upstream: () => now.upstream });
        exchange.welcome(stream);
        return {
          [Symbol.dispose]: () => {
            this.#sessions.delete(id);
          },
        };
      },
    };
  }

  /** Finds a session of the same person that the same account may stop. */
  #serverId(id: number, person: string, account: string | undefined): number | undefined {
    const session = this.#sessions.get(id);
    const upstream = session?.person === person ? session.upstream() : undefined;
    return upstream?.account === account ? upstream?.id : undefined;
  }
}

/** Gives the connection to the database that a session has by then: a client that changes to the user that it is gets another one. */
type Current = () => MysqlUpstream | undefined;
