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
import type { LivePassword } from './passwords.ts';
import type { AuditedSession, SessionAudit } from './session-audit.ts';
import { Statements } from './statements.ts';

/** How many sessions one process has; a person may have a quarter of them. */
const mostSessions = 4096;

/** A session that passes bytes on, in whichever protocol. */
export interface PassingSession {
  /** Whether the server has nothing to do, and no transaction is open. */
  readonly isAtRest: boolean;
  /** Begins to pass on. @param onEnd is called once, with why the session ended */
  readonly start: (audit: Pick<SessionAudit, 'added' | 'isBehind'>, onEnd: (reason: string) => void) => void;
  /** Reads from the client again, if nothing speaks against it any more. */
  readonly resume: () => void;
  /** Tells the client something as soon as it can be told. */
  readonly notify: (message: string) => void;
  /** Ends the session: stops what the database works on, tells the client why, and closes both connections. */
  readonly cut: (error: FatalError) => Promise<void>;
}

/** What a protocol has to do for a session. */
export interface Protocol<Upstream, Conversation, Session> {
  readonly name: AuditedSession['protocol'];
  /** The product, for people. */
  readonly product: string;
  /** The types of data sources that speak it. */
  readonly types: readonly ConnectionUri['type'][];
  /** Connects to the data source. @throws FatalError */
  readonly connect: (uri: ConnectionUri, signal: AbortSignal) => Promise<Upstream>;
  /** Follows what passes. @param digest how the audit trail shows a statement */
  readonly follow: (statements: Statements, digest: (text: string) => TextDigest) => Conversation;
  readonly pass: (upstream: Upstream, conversation: Conversation) => Session;
}

/** A session that may begin: its person was let in, its database is connected, and the audit trail has its beginning. */
export interface Admitted<Upstream, Session> {
  readonly session: Session;
  readonly open: OpenSession;
  readonly upstream: Upstream;
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
export async function admit<
  Upstream extends { readonly stream: Duplex },
  Conversation extends { readonly tellRunning: () => void },
  Session extends PassingSession,
>(
  gateway: Gateway,
  protocol: Protocol<Upstream, Conversation, Session>,
  { stream, password, address, client, signal }: Asked,
): Promise<Admitted<Upstream, Session>> {
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
  const statements = new Statements();
  const shown = parts.auditStatements === 'text' ? undefined : 0;
  const conversation = protocol.follow(statements, (text) => digestStatement(text, parts.digest, shown));
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
  const session = protocol.pass(upstream, conversation);
  live.session = session;
  undo.move();
  const cut = (error: FatalError): Promise<void> => session.cut(error);
  const traffic = (): Traffic => trafficOf(stream);
  let ending: Ending = 'closed';
  return {
    session,
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
