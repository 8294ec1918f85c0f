import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionUri, parseConnectionUri } from '@rolecall/api';
import { digestStatement } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { FatalError } from '../protocols/fatal-error.ts';
import { serialiseAtServer } from './at-server.ts';
import type { Ending, Traffic } from './figures.ts';
import { enter, type Gateway, type GatewayParts, type OpenSession } from './gateway.ts';
import { MemoryShare } from './memory.ts';
import type { LivePassword } from './passwords.ts';
import type { Protocol, Upstream } from './protocol.ts';
import { Session } from './session.ts';
import type { SessionAudit } from './session-audit.ts';
import { Statements } from './statements.ts';

/** How many sessions one process has, and one person in it. */
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

  // Connect, and begin the audit: the trail has the session before its client can run anything.
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
  const connecting = ifStill(gateway, { password, uri: entrance.uri }, async () =>
    protocol.connect(uri, AbortSignal.any([signal, ended.signal])),
  );
  const recording = atServerOf(connecting, parts.storeClock).then((atServer) =>
    trail.begin(
      {
        ...{ id, person: password.person, dataSource: password.source.id },
        ...{ protocol: protocol.name, address, client: name, atServer },
      },
      {
        statements,
        tellRunning: () => {
          conversation.tellRunning();
        },
        resume: () => live.session?.resume(),
      },
    ),
  );
  const { upstream, audit } = await bothOrNeither(connecting, recording);

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

/** Connects, unless what the session depends on has ended until then. */
async function ifStill<U extends Upstream>(
  gateway: Gateway,
  entering: Pick<OpenSession, 'password' | 'uri'>,
  connect: () => Promise<U>,
): Promise<U> {
  const upstream = await connect();
  try {
    await gateway.requireStill(entering);
    return upstream;
  } catch (error) {
    upstream.close();
    upstream.stream.destroy();
    throw error;
  }
}

/** Where a session is at its server, for its row: before the client can run anything, for the case that this process dies. */
async function atServerOf(
  connecting: Promise<Upstream>,
  storeClock: GatewayParts['storeClock'],
): Promise<string | null> {
  const { atServer } = await connecting.catch(() => ({ atServer: undefined }));
  return atServer === undefined ? null : serialiseAtServer(atServer, storeClock.now());
}

/** Where one of both fails, the other does not stay. */
async function bothOrNeither<U extends Upstream>(connecting: Promise<U>, recording: Promise<SessionAudit>) {
  const [connected, recorded] = await Promise.allSettled([connecting, recording]);
  if (connected.status === 'rejected') {
    if (recorded.status === 'fulfilled') recorded.value.end(reasonOf(connected.reason));
    throw connected.reason;
  }
  if (recorded.status === 'rejected') {
    connected.value.stream.destroy();
    throw recorded.reason;
  }
  return { upstream: connected.value, audit: recorded.value };
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
  const own = [...sessions].filter(({ password }) => password.person === person).length;
  if (sessions.size >= most.sessions)
    throw new FatalError('53300', 'the gateway has too many sessions: try again later');
  if (own >= most.ofPerson) throw new FatalError('53300', `${username} has too many sessions: close some`);
}
