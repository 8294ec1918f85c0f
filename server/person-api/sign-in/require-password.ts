import { networkOf } from '../../http/connections.ts';
import { type Opened, readPassword } from '../../sign-in/factors.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import type { PersonContext } from '../handler.ts';
import { attempt, ofSession, refuseSignIn } from './attempt.ts';

/**
 * Checks the password of a person who is signed in.
 *
 * @returns the password as the store has it
 * @throws Refusal sign_in_refused, too_many_requests
 */
export async function requirePassword(
  context: PersonContext,
  session: LiveSession,
  given: string,
): Promise<Opened<'password'>> {
  const { store, seal, signIn, asker } = context;
  const password = await store.read((executor) => readPassword(executor, seal, session.person.id));
  return attempt(context, ofSession(session, 'password', 'password'), async () => {
    const isRight = await signIn.passwords.verify(given, password?.secret.hash, networkOf(asker.address));
    if (isRight && password !== undefined) return password;
    throw refuseSignIn(context, { factor: 'password', reason: 'wrong' }, session.person.id);
  });
}
