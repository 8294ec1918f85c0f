import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionUri, parseConnectionUri } from '@rolecall/api';
import { digestStatement } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { FatalError } from '../protocols/fatal-error.ts';
import { serialiseAtServer } from './at-server.ts';
import type { Ending, Figures, Traffic } from './figures.ts';
import { enter, type Gateway, type GatewayParts, type OpenSession } from './gateway.ts';
import { MemoryShare } from './memory.ts';
import type { LivePassword } from './passwords.ts';
import type { Protocol, Upstream } from './protocol.ts';
import { Session } from './session.ts';
import type { SessionAudit } from './session-audit.ts';
import { Statements } from './statements.ts';

/** How many sessions one process has, and one person in it. */
const most = { sessions: 4096, ofPerson: 1024 };

/** A session that may begin: its person was let in, its database is connected, and the audit trail has its beginning. */
export interface Admitted<U extends Upstream> {
  readonly open: OpenSession;
  readonly upstream: U;
  /** Begins to pass on. @param onEnd is called once, when the session is over */
  readonly begin: (onEnd: () => void) => void;
}

interface Asked {
  /** The client. */
  readonly stream: Duplex;
  readonly password: LivePassword;
  readonly address: string;
  /** What the client says it is. */
  readonly client: string;
  /** Gives the attempt up. */
  readonly signal: AbortSignal;
}

/**
 * Lets a person who has proven a password in: asks the gate, connects to the data source, and records the beginning.
 *
 * @throws FatalError; StoreUnavailableError, AuditTrailError
 */
export async function admit<U extends Upstream>(
  gateway: Gateway,
  protocol: Protocol<U>,
  { stream, password, address, client, signal }: Asked,
): Promise<Admitted<U>> {
  const { parts } = gateway;
  requireRoom(gateway, password);
  const ended = new AbortController();
  using undo = new DisposableStack();
  const entrance = await enter(parts, password, (reason) => {
    ended.abort(new FatalError('57P01', reason));
  });
  if ('refused' in entrance) throw new FatalError('28000', entrance.refused, 'Ask for access, then connect again.');
  undo.defer(entrance.leave);
  const uri = connectionUri(entrance.uri, password, protocol);
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
  const id = newId();
  const connecting = ifStill(gateway, { password, uri: entrance.uri }, async () =>
    protocol.connect(uri, AbortSignal.any([signal, ended.signal])),
  );
  const followed = {
    statements,
    tellRunning: () => {
      conversation.tellRunning();
    },
    resume: () => live.session?.resume(),
  };
  const recording = atServerOf(connecting, parts.storeClock).then((atServer) =>
    gateway.audit.begin(
      {
        ...{ id, person: password.person, dataSource: password.source.id },
        ...{ protocol: protocol.name, address, client, atServer },
      },
      followed,
    ),
  );
  const { upstream, audit } = await bothOrNeither(connecting, recording);
  live.session = new Session(stream, upstream, conversation, gateway.standStill.isBlind);
  undo.move();
  return new AdmittedSession(upstream, live.session, {
    ...{ id, stream, password, audit, memory, figures: gateway.figures, protocol: protocol.name },
    ...{ uri: entrance.uri, leave: entrance.leave, ended: ended.signal },
  });
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

interface SessionParts extends Pick<OpenSession, 'id' | 'protocol' | 'password' | 'uri'> {
  readonly stream: Duplex;
  readonly audit: SessionAudit;
  readonly memory: MemoryShare;
  readonly figures: Figures;
  /** Leaves the gate. */
  readonly leave: () => void;
  /** Aborted with a FatalError when the access ends. */
  readonly ended: AbortSignal;
}

class AdmittedSession<U extends Upstream> implements Admitted<U> {
  readonly upstream: U;
  readonly open: OpenSession;
  readonly #session: Session;
  readonly #parts: SessionParts;
  #ending: Ending = 'closed';

  constructor(upstream: U, session: Session, parts: SessionParts) {
    this.upstream = upstream;
    this.#session = session;
    this.#parts = parts;
    const { id, protocol, password, uri, stream } = parts;
    this.open = {
      ...{ id, protocol, password, uri },
      traffic: () => trafficOf(stream),
      cut: (reason, why) => this.#cut(new FatalError('57P01', reason), why),
      notify: (message) => {
        session.notify(message);
      },
      isAtRest: () => session.isAtRest,
    };
  }

  readonly begin = (onEnd: () => void): void => {
    const { audit, memory, figures, leave, ended } = this.#parts;
    this.#session.start(audit, (reason) => {
      leave();
      memory.release();
      audit.end(reason);
      figures.ended(this.open, this.#ending);
      onEnd();
    });
    // Only `enter` aborts it, with this kind of error.
    const end = (): void => void this.#cut(ended.reason as FatalError, 'access');
    if (ended.aborted) end();
    else ended.addEventListener('abort', end, { once: true });
  };

  #cut(error: FatalError, ending: Ending): Promise<void> {
    this.#ending = ending;
    return this.#session.cut(error);
  }
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
