import type { FactorKind, PersonRequestOf } from '@rolecall/api';
import { invalidFields, Refusal } from '../../refusal.ts';
import { readFactors, stateAfter } from '../../sign-in/factors.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import { deleteSession } from '../../store/person-session.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';
import { attempt, ofSession, refuseSignIn } from '../sign-in/attempt.ts';
import { openSession, welcome } from '../sign-in/open-session.ts';
import { beginPasskey, spendOnce, verifyPasskey } from '../sign-in/passkey-answer.ts';
import { requirePassword } from '../sign-in/require-password.ts';
import { useRecoveryCode, useTotp } from '../sign-in/use-factor.ts';

/** A person who is signed in proves again who they are, before a change that asks for it: by as many factors as a sign-in takes. */
export const proofHandlers = {
  provePassword: async ({ body }, context, session) => {
    const { password, ...second } = body;
    const { secret } = await requirePassword(context, session, password);
    const kind = kindOf(second);
    const prove = () =>
      proven(context, session, kind === undefined ? ['password'] : ['password', kind], async (executor) => {
        const factors = await readFactors(executor, context.seal, session.person.id);
        // It may have been changed since it was verified.
        if (factors.password?.secret.hash !== secret.hash) {
          throw refuseSignIn(context, { factor: 'password', reason: 'wrong' }, session.person.id);
        }
        if (kind === undefined) {
          if (stateAfter(['password'], factors, false) === 'pending') throw lacksSecond();
          return;
        }
        const { code = '', recoveryCode = '' } = second;
        const isRight =
          kind === 'totp'
            ? await useTotp(context, executor, factors, code)
            : await useRecoveryCode(executor, factors, recoveryCode);
        if (!isRight) throw refuseSignIn(context, { factor: kind, reason: 'wrong' }, session.person.id);
      });
    return kind === undefined ? prove() : attempt(context, ofSession(session, 'code', kind), prove);
  },

  beginPasskeyProof: (_request, context, session) => beginPasskey(context, `session ${session.id}`),

  provePasskey: async ({ body }, context, session) => {
    const { person, use } = await verifyPasskey(context, `session ${session.id}`, body.credential);
    if (person !== session.person.id)
      throw refuseSignIn(context, { factor: 'passkey', reason: 'wrong' }, session.person.id);
    return spendOnce(() => proven(context, session, ['passkey'], use));
  },
} satisfies Partial<PersonHandlers>;

type Second = Omit<PersonRequestOf<'provePassword'>['body'], 'password'>;

function kindOf({ code, recoveryCode }: Second): 'totp' | 'recovery_code' | undefined {
  if (code !== undefined) return 'totp';
  return recoveryCode === undefined ? undefined : 'recovery_code';
}

function lacksSecond(): Refusal {
  const remedy = 'send a code of the authenticator app, or a recoveryCode, or prove a passkey instead';
  return invalidFields([{ path: 'code', message: `is missing, because you have a second factor: ${remedy}` }]);
}

/** Notes that the person has proven these factors again, in one write with their use. */
async function proven(
  context: PersonContext,
  session: LiveSession,
  used: readonly FactorKind[],
  use: (executor: Executor) => Promise<void>,
) {
  const { id, person, kind, providerSession } = session;
  if (kind !== 'browser') throw new Refusal('sign_in_refused', 'factors are proven in a browser');
  const token = await context.store.write([], async (executor, record) => {
    await use(executor);
    if (!(await deleteSession(executor, id))) throw new Refusal('signed_out', 'the session has ended');
    record([{ kind: 'session', id, action: 'deleted' }]);
    const factors = [...new Set([...session.factors, ...used])];
    const from = providerSession === null ? {} : { providerSession };
    return openSession(context, executor, { person: person.id, state: 'whole', factors, record, ...from });
  });
  return welcome(context, token);
}
