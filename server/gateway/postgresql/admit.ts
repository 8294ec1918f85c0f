import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { parseConnectionUri } from '@rolecall/api';
import { digestStatement } from '../../audit/show.ts';
import { newId } from '../../ids.ts';
import { shareOf } from '../../queries/slots.ts';
import type { Ending, Traffic } from '../figures.ts';
import { enter, type Gateway, type OpenSession } from '../gateway.ts';
import type { LivePassword } from '../passwords.ts';
import { Statements } from '../statements.ts';
import { Conversation } from './conversation.ts';
import { FatalError } from './messages.ts';
import { PostgresSession } from './session.ts';
import type { Wanted } from './startup.ts';
import { connectUpstream, type Upstream } from './upstream.ts';

/** How many sessions one process has; a person may have a quarter of them. */
const mostSessions = 4096;

/** A session that may begin: its person was let in, its database is connected, and the audit trail has its beginning. */
export interface Admitted {
  readonly session: PostgresSession;
  readonly open: OpenSession;
  readonly upstream: Upstream;
  /** Begins to pass on. @param onEnd is called once, when the session is over */
  readonly begin: (onEnd: () => void) => void;
}

interface Asked {
  readonly password: LivePassword;
  readonly wanted: Wanted;
  readonly address: string;
  /** Gives the attempt up. */
  readonly signal: AbortSignal;
}

/**
 * Lets a person who has proven a password in: asks the gate, connects to the data source, and records the beginning.
 *
 * @throws FatalError; StoreUnavailableError, AuditTrailError
 */
export async function admit(
  gateway: Gateway,
  stream: Duplex,
  { password, wanted, address, signal }: Asked,
): Promise<Admitted> {
  const { parts } = gateway;
  requireRoom(gateway, password);
  const ended = new AbortController();
  using undo = new DisposableStack();
  const entrance = await enter(parts, password, (reason) => {
    ended.abort(new FatalError('57P01', reason));
  });
  if ('refused' in entrance) throw new FatalError('28000', entrance.refused, 'Ask for access, then connect again.');
  undo.defer(entrance.leave);
  const uri = parseConnectionUri(entrance.uri);
  if (uri.type !== 'postgresql') {
    throw new FatalError('0A000', `${wanted.dataSource} is a ${uri.type} data source, and this port speaks PostgreSQL`);
  }
  const statements = new Statements();
  const shown = parts.auditStatements === 'text' ? undefined : 0;
  const conversation = new Conversation(statements, (text) => digestStatement(text, parts.digest, shown));
  const { person, source } = password;
  const client = wanted.settings['application_name'] ?? '';
  const live: { session?: PostgresSession } = {};
  const id = newId();
  // While the database is connected, since both take their time.
  const recording = gateway.audit.begin(
    { id, person, dataSource: source.id, protocol: 'postgresql', address, client },
    {
      statements,
      tellRunning: () => {
        conversation.tellRunning();
      },
      resume: () => live.session?.resume(),
    },
  );
  const connecting = connectUpstream(uri, wanted.settings, parts.guard, AbortSignal.any([signal, ended.signal]));
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
  const session = new PostgresSession(stream, upstream, conversation);
  live.session = session;
  undo.move();
  const cut = (error: FatalError): Promise<void> => session.cut(error);
  let ending: Ending = 'closed';
  return {
    session,
    upstream,
    open: {
      id,
      protocol: 'postgresql',
      traffic: () => trafficOf(stream),
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
        gateway.figures.ended({ protocol: 'postgresql', traffic: () => trafficOf(stream) }, ending);
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
