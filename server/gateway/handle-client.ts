import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionUri, parseConnectionUri } from '@rolecall/api';
import { digestStatement } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { FatalError } from '../protocols/fatal-error.ts';
import { findPersonByUsername } from '../store/person.ts';
import { serialiseAtServer } from './at-server.ts';
import type { Ending, Traffic } from './figures.ts';
import { enter, type Gateway, type GatewayParts, type OpenSession } from './gateway.ts';
import { MemoryShare } from './memory.ts';
import { findPasswords, type LivePassword } from './passwords.ts';
import type { Protocol, Upstream } from './protocol.ts';
import { Session } from './session.ts';
import type { SessionAudit } from './session-audit.ts';
import { Statements } from './statements.ts';

/** Sessions that one process may have, and one person in it. */
const most = { sessions: 4096, ofPerson: 1024 };

/** A client that logs in. */
export interface Arrival {
  readonly stream: Duplex;
  readonly address: string;
  /** Gives the log-in up. */
  readonly signal: AbortSignal;
  /** Ends the log-in: from then on, its time and its signal no longer count. */
  readonly letIn: () => void;
}

/** A client that has proven a password. */
interface Client extends Arrival {
  readonly password: LivePassword;
  /** Name that the client gives itself. */
  readonly name: string;
}

/**
 * Handles a client that has proven a password, from its admission to the end of its session.
 *
 * @throws FatalError for the client, as long as it is not let in; StoreUnavailableError, AuditTrailError
 */
export async function handleClient<U extends Upstream>(
  gateway: Gateway,
  protocol: Protocol<U>,
  { stream, password, address, name, signal, letIn }: Client,
): Promise<void> {
  const { parts, audit: trail, figures, sessions } = gateway;
  requireRoom(gateway, password);

  // Admit. Where the gate says no, the client reads why.
  const ended = new AbortController();
  using entrance = await enter(parts, password, (reason) => {
    ended.abort(new FatalError('57P01', reason));
  });
  const uri = connectionUri(entrance.uri, password, protocol);

  // Connect, unless what the session depends on has ended by then.
  using unfinished = new DisposableStack();
  const connect = async (): Promise<U> => {
    const upstream = await protocol.connect(uri, AbortSignal.any([signal, ended.signal]));
    unfinished.defer(() => {
      upstream.close();
      upstream.stream.destroy();
    });
    await gateway.requireStill({ password, uri: entrance.uri });
    return upstream;
  };
  const [connected] = await Promise.allSettled([connect()]);

  // Begin the audit, also of a session without a database. The trail has it before its client can run anything.
  const id = newId();
  const memory = new MemoryShare(gateway.memory, password.person);
  const statements = new Statements(gateway.memory);
  const shown = parts.auditStatements === 'text' ? undefined : 0;
  const live: { session?: Session } = {};
  const conversation = protocol.follow({
    ...{ statements, memory },
    digest: (text) => digestStatement(text, parts.digest, shown),
    renew: async () => {
      const next = await protocol.connect(uri, ended.signal);
      live.session?.replace(next);
    },
  });
  const { atServer } = connected.status === 'fulfilled' ? connected.value : {};
  const beginning = trail.begin(
    {
      ...{ id, person: password.person, dataSource: password.source.id },
      ...{ protocol: protocol.name, address, client: name },
      atServer: atServer === undefined ? null : serialiseAtServer(atServer, parts.storeClock.now()),
    },
    {
      statements,
      tellRunning: () => {
        conversation.tellRunning();
      },
      resume: () => live.session?.resume(),
    },
  );
  if (connected.status === 'rejected') {
    const end = ({ end }: SessionAudit): void => {
      end(reasonOf(connected.reason));
    };
    await beginning.then(end, () => undefined);
    throw connected.reason;
  }
  const audit = await beginning;
  const upstream = connected.value;
  unfinished.move();

  // Tell the client that it is in. From now on it is in the list of sessions, and can be cut.
  const session = new Session(stream, upstream, conversation, gateway.standStill.isBlind);
  live.session = session;
  let ending: Ending = 'closed';
  const cut = (error: FatalError, why: Ending): Promise<void> => {
    ending = why;
    return session.cut(error);
  };
  const open: OpenSession = {
    ...{ id, protocol: protocol.name, password, uri: entrance.uri },
    traffic: () => trafficOf(stream),
    cut: (reason, why) => cut(new FatalError('57P01', reason), why),
    notify: (message) => {
      session.notify(message);
    },
    isAtRest: () => session.isAtRest,
  };
  sessions.add(open);
  using _welcomed = protocol.welcome(upstream);
  letIn();

  // Relay, until one of both leaves or the session is cut.
  const reason = await new Promise<string>((resolve) => {
    session.start(audit, resolve);
    // Only `enter` aborts it, with this kind of error.
    const end = (): void => void cut(ended.signal.reason as FatalError, 'access');
    if (ended.signal.aborted) end();
    else ended.signal.addEventListener('abort', end, { once: true });
  });

  // End. The trail gets the rest of what ran, and why it is over.
  memory.release();
  audit.end(reason);
  figures.ended(open, ending);
  sessions.delete(open);
}

/** @throws FatalError where another protocol leads to the data source */
function connectionUri(
  text: string,
  { source }: LivePassword,
  { types, product }: Pick<Protocol<Upstream>, 'types' | 'product'>,
): ConnectionUri {
  const uri = parseConnectionUri(text);
  if (types.includes(uri.type)) return uri;
  const name = source.alias ?? source.name;
  throw new FatalError('0A000', `${name} is a ${uri.type} data source, and this port speaks ${product}`);
}

/** Sockets count their bytes. */
function trafficOf(stream: Duplex & Partial<Pick<Socket, 'bytesRead' | 'bytesWritten'>>): Traffic {
  return { received: stream.bytesRead ?? 0, sent: stream.bytesWritten ?? 0 };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the gateway failed';
}

/** @throws FatalError */
function requireRoom({ sessions }: Gateway, { person, username }: LivePassword): void {
  const ofPerson = [...sessions].filter(({ password }) => password.person === person).length;
  if (sessions.size >= most.sessions)
    throw new FatalError('53300', 'the gateway has too many sessions: try again later');
  if (ofPerson >= most.ofPerson) throw new FatalError('53300', `${username} has too many sessions: close some`);
}

/** A password, and the reading of the client's names that it belongs to. */
export type Found<W> = LivePassword & { readonly wanted: W };

/**
 * Lets a client prove one of the passwords that its names lead to, and notes a proof that fails.
 *
 * @param readings of the names that the client has given
 * @throws what `prove` throws; StoreUnavailableError
 */
export async function provePassword<W extends Readonly<Record<'username' | 'dataSource', string>>, T>(
  { store, storeClock, seal, refused }: GatewayParts,
  address: string,
  readings: readonly W[],
  prove: (find: () => Promise<readonly Found<W>[]>) => Promise<T>,
): Promise<T> {
  const find = async (): Promise<Found<W>[]> =>
    store.read(async (executor) => {
      await storeClock.refresh(executor);
      const all = readings.map(async (wanted) => {
        const passwords = await findPasswords(executor, seal, { ...wanted, now: storeClock.now() });
        return passwords.map((password) => ({ ...password, wanted }));
      });
      return (await Promise.all(all)).flat();
    });
  try {
    return await prove(find);
  } catch (error) {
    if (error instanceof FatalError && error.sqlState === '28P01') {
      const people = await store.read((executor) =>
        Promise.all(readings.map(({ username }) => findPersonByUsername(executor, username))),
      );
      refused(
        address,
        people.find((person) => person !== undefined),
      );
    }
    throw error;
  }
}
