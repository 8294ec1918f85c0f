import type { FactorKind } from '@rolecall/api';
import { created } from '../../audit/change.ts';
import type { Change } from '../../audit/entry.ts';
import { Refusal } from '../../refusal.ts';
import { deviceCookie, deviceSeconds, newDevice } from '../../sign-in/known-device.ts';
import { hashToken } from '../../sign-in/secret-token.ts';
import type { SessionOpening } from '../../sign-in/sessions.ts';
import { deleteSession, findSessionByToken, type SessionState } from '../../store/person-session.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext } from '../handler.ts';
import { showMe } from './show-session.ts';

/** Opens a session, within a write, and records the sign-in. The session whose cookie it replaces ends. @returns its token */
export async function openSession(
  { sessions, asker, cookie }: PersonContext,
  executor: Executor,
  {
    record,
    ...opening
  }: {
    person: string;
    state: SessionState;
    factors: readonly FactorKind[];
    record: (changes: readonly Change[]) => void;
  } & Pick<SessionOpening, 'providerSession' | 'provenAt'>,
): Promise<string> {
  const { address, client } = asker;
  const oldToken = cookie.read();
  const replaced = oldToken === undefined ? undefined : await findSessionByToken(executor, hashToken(oldToken));
  if (replaced?.kind === 'browser' && (await deleteSession(executor, replaced.id))) {
    record([{ kind: 'session', id: replaced.id, action: 'deleted', along: true }]);
  }
  const { id, token } = await sessions.open(executor, { kind: 'browser', address, client, ...opening });
  const { person, state, factors } = opening;
  record([created({ kind: 'session', id, fields: { person, state, factors: [...factors], address } })]);
  return token;
}

/** Gives the browser its session, and remembers a browser in which the person has signed in. */
export async function welcome({ sessions, seal, cookie }: PersonContext, token: string) {
  const session = await sessions.find(token);
  if (session === undefined) throw new Refusal('signed_out', 'the session ended as soon as it began');
  cookie.set(token);
  if (session.state === 'whole') {
    cookie.keep(deviceCookie, newDevice(seal, session.person.id), deviceSeconds);
  }
  return showMe(session);
}
