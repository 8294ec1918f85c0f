import type { FactorKind } from '@rolecall/api';
import { Refusal } from '../../refusal.ts';
import { readFactors } from '../../sign-in/factors.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import { deleteSession } from '../../store/person-session.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';
import { attempt, ofSession, refuseSignIn } from '../sign-in/attempt.ts';
import { openSession, welcome } from '../sign-in/open-session.ts';
import { beginPasskey, spendOnce, verifyPasskey } from '../sign-in/passkey-answer.ts';
import { requirePassword } from '../sign-in/require-password.ts';
import { useTotp } from '../sign-in/use-factor.ts';

/** A person who is signed in proves a factor again, before a change that asks for it. */
export const proofHandlers = {
  provePassword: async ({ body }, context, session) => {
    await requirePassword(context, session, body.password);
    return proven(context, session, 'password', () => Promise.resolve());
  },

  proveTotp: ({ body }, context, session) =>
    attempt(context, ofSession(session, 'code', 'totp'), () =>
      proven(context, session, 'totp', async (executor) => {
        const factors = await readFactors(executor, context.seal, session.person.id);
        if (await useTotp(context, executor, factors, body.code)) return;
        throw refuseSignIn(context, { factor: 'totp', reason: 'wrong' }, session.person.id);
      }),
    ),

  beginPasskeyProof: (_request, context, session) => beginPasskey(context, `session ${session.id}`),

  provePasskey: async ({ body }, context, session) => {
    const { person, use } = await verifyPasskey(context, `session ${session.id}`, body.credential);
    if (person !== session.person.id)
      throw refuseSignIn(context, { factor: 'passkey', reason: 'wrong' }, session.person.id);
    return spendOnce(() => proven(context, session, 'passkey', use));
  },
} satisfies Partial<PersonHandlers>;

/** Notes that the person has proven a factor again, in one write with its use. */
async function proven(
  context: PersonContext,
  session: LiveSession,
  factor: FactorKind,
  use: (executor: Executor) => Promise<void>,
) {
  const { id, person, kind, providerSession } = session;
  if (kind !== 'browser') throw new Refusal('sign_in_refused', 'factors are proven in a browser');
  const token = await context.store.write([], async (executor, record) => {
    await use(executor);
    if (!(await deleteSession(executor, id))) throw new Refusal('signed_out', 'the session has ended');
    record([{ kind: 'session', id, action: 'deleted' }]);
    const factors = [...new Set([...session.factors, factor])];
    const from = providerSession === null ? {} : { providerSession };
    return openSession(context, executor, { person: person.id, state: 'whole', factors, record, ...from });
  });
  return welcome(context, token);
}
