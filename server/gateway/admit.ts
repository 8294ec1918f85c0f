import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionUri, parseConnectionUri } from '@rolecall/api';
import type { TextDigest } from '../audit/entry.ts';
import { digestStatement } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { shareOf } from '../queries/slots.ts';
import { FatalError } from './fatal-error.ts';
import type { Ending, Traffic } from './figures.ts';
import { enter, type Gateway, type OpenSession } from './gateway.ts';
import { MemoryShare } from './memory.ts';
import type { LivePassword } from './passwords.ts';
import { type Conversation, Session, type Upstream } from './session.ts';
import type { AuditedSession } from './session-audit.ts';
import { Statements } from './statements.ts';

/** How many sessions one process has; a person may have a quarter of them. */
const mostSessions = 4096;

/** What a protocol has to do for a session. */
export interface Protocol<U extends Upstream> {
  readonly name: AuditedSession['protocol'];
  /** The product, for people. */
  readonly product: string;
  /** The types of data sources that speak it. */
  readonly types: readonly ConnectionUri['type'][];
  /** Connects to the data source. @throws FatalError */
  readonly connect: (uri: ConnectionUri, signal: AbortSignal) => Promise<U>;
  /** Follows what passes. @param digest how the audit trail shows a statement */
  readonly follow: (statements: Statements, digest: (text: string) => TextDigest, memory: MemoryShare) => Conversation;
}

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
  const { person, source } = password;
  const uri = parseConnectionUri(entrance.uri);
  if (!protocol.types.includes(uri.type)) {
    const name = source.alias ?? source.name;
    throw new FatalError('0A000', `${name} is a ${uri.type} data source, and this port speaks ${protocol.product}`);
  }
  const memory = new MemoryShare(gateway.memory);
  const statements = new Statements(gateway.memory);
  const shown = parts.auditStatements === 'text' ? undefined : 0;
  const conversation = protocol.follow(statements, (text) => digestStatement(text, parts.digest, shown), memory);
  const live: { session?: Session } = {};
  const id = newId();
  // While the database is connected, since both take their time.
  const recording = gateway.audit.begin(
    { id, person, dataSource: source.id, protocol: protocol.name, address, client },
    {
      statements,
      tellRunning: () => {
        conversation.tellRunning();
      },
      resume: () => live.session?.resume(),
    },
  );
  const connecting = protocol.connect(uri, AbortSignal.any([signal, ended.signal]));
  const [connected, recorded] = await Promise.allSettled([connecting, recording]);
  if (connected.status === 'rejected') {
    if (recorded.status === 'fulfilled') recorded.value.end(reasonOf(connected.reason));
    throw connected.reason;
  }
  const { value: upstream } = connected;
  if (recorded.status === 'rejected') {
    upstream.stream.destroy();
    throw recorded.reason;
  }
  const { value: audit } = recorded;
  const session = new Session(stream, upstream, conversation);
  live.session = session;
  undo.move();
  const cut = (error: FatalError): Promise<void> => session.cut(error);
  const traffic = (): Traffic => trafficOf(stream);
  let ending: Ending = 'closed';
  return {
    upstream,
    open: {
      id,
      protocol: protocol.name,
      traffic,
      password,
      uri: entrance.uri,
      cut: (reason, why) => {
        ending = why;
        return cut(new FatalError('57P01', reason));
      },
      notify: (message) => {
        session.notify(message);
      },
      isAtRest: () => session.isAtRest,
    },
    begin: (onEnd) => {
      session.start(audit, (reason) => {
        entrance.leave();
        memory.release();
        audit.end(reason);
        gateway.figures.ended({ protocol: protocol.name, traffic }, ending);
        onEnd();
      });
      // Only `enter` aborts it, with this kind of error.
      const end = (): void => {
        ending = 'access';
        void cut(ended.signal.reason as FatalError);
      };
      if (ended.signal.aborted) end();
      else ended.signal.addEventListener('abort', end, { once: true });
    },
  };
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
  if (sessions.size >= mostSessions)
    throw new FatalError('53300', 'the gateway has too many sessions: try again later');
  if (own >= shareOf(mostSessions)) throw new FatalError('53300', `${username} has too many sessions: close some`);
}
