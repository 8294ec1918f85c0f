import type { FactorKind } from '@rolecall/api';
import { networkOf } from '../../http/connections.ts';
import type { PersonFailure } from '../../http/failed-logins.ts';
import { Refusal } from '../../refusal.ts';
import { type Factors, readFactors, readPassword, sealSecret, stateAfter } from '../../sign-in/factors.ts';
import { findInvited } from '../../sign-in/invitations.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import { findPerson, findPersonByUsername } from '../../store/person.ts';
import { deleteInvitedSessions, deleteSession } from '../../store/person-session.ts';
import { updateFactorSeal } from '../../store/sign-in-factor.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';
import { attempt, deviceOf, guessedName, refuseLink, refuseSignIn } from '../sign-in/attempt.ts';
import { openSession, welcome } from '../sign-in/open-session.ts';
import { beginPasskey, spendOnce, verifyPasskey } from '../sign-in/passkey-answer.ts';
import { useFactor, useRecoveryCode, useTotp } from '../sign-in/use-factor.ts';

export const signInHandlers = {
  startEnrolment: async ({ body }, context) => {
    const { store, seal } = context;
    // Read first: an unknown token costs no write.
    const invited = await store.read((executor) => findInvited(executor, seal, body.token));
    if (invited === undefined) throw refuseLink(context);
    const token = await store.write(
      [],
      async (executor, record) => {
        const person = await findInvited(executor, seal, body.token);
        const invitee = person === undefined ? undefined : await findPerson(executor, person);
        if (invitee === undefined || invitee.isLocked) return undefined;
        // The link was opened again: earlier sign-ins with it end.
        await deleteInvitedSessions(executor, invitee.id);
        return openSession(context, executor, { person: invitee.id, state: 'enrolling', factors: [], record });
      },
      invited,
    );
    if (token === undefined) throw refuseLink(context, invited);
    return welcome(context, token);
  },

  signInWithPassword: async ({ body: { username, password } }, context) => {
    const { store, seal, signIn, asker } = context;
    const network = networkOf(asker.address);
    // First: in a flood of sign-ins, each costs no more than this.
    signIn.passwords.requireRoom(network);
    // The same statements whether there is such a person, and no other factor opened, or the time would tell who exists.
    const { found, known } = await store.read(async (executor) => {
      const id = (await findPersonByUsername(executor, username)) ?? '';
      return { found: await findPerson(executor, id), known: await readPassword(executor, seal, id) };
    });
    const refuse = (reason: PersonFailure['reason']) =>
      refuseSignIn(context, { factor: 'password', reason }, found?.id);
    const guess = { name: guessedName(found?.id ?? username), device: deviceOf(context, found?.id ?? '') };
    await attempt(context, { what: 'password', factor: 'password', person: found?.id, ...guess }, async () => {
      const right = await signIn.passwords.verify(password, known?.secret.hash, network);
      if (!right) throw refuse('wrong');
      if (found?.isLocked !== false) throw refuse('locked person');
    });
    // Only a password that was verified comes here.
    if (found === undefined || known === undefined) throw refuse('wrong');
    const [{ id }, { secret }] = [found, known];
    const rehashed = signIn.passwords.isCurrent(secret.hash)
      ? undefined
      : await signIn.passwords.hash(password, network);
    const opened = await store.write(
      [],
      async (executor, record) => {
        const now = await readFactors(executor, seal, id);
        // It may have been changed or removed since it was verified.
        if (now.password === undefined || now.password.secret.hash !== secret.hash) throw refuse('wrong');
        if (rehashed !== undefined) {
          const sealed = sealSecret(
            seal,
            { ...now.password, kind: 'password' },
            { ...now.password.secret, hash: rehashed },
          );
          await updateFactorSeal(executor, { id: now.password.id, sealed });
        }
        await useFactor(executor, now.password, known.counter);
        const state = stateAfter(['password'], now, signIn.requireTwoFactor);
        return openSession(context, executor, { person: id, state, factors: ['password'], record });
      },
      id,
    );
    return welcome(context, opened);
  },

  signInWithTotp: ({ body }, context, session) =>
    giveSecondFactor(context, session, 'totp', (executor, factors) => useTotp(context, executor, factors, body.code)),

  signInWithRecoveryCode: ({ body }, context, session) =>
    giveSecondFactor(context, session, 'recovery_code', (executor, factors) =>
      useRecoveryCode(executor, factors, body.code),
    ),

  beginPasskeySignIn: (_request, context) => beginPasskey(context, 'sign-in'),

  signInWithPasskey: async ({ body }, context) => {
    const { person, use } = await verifyPasskey(context, 'sign-in', body.credential);
    const token = await spendOnce(() =>
      context.store.write(
        [],
        async (executor, record) => {
          await use(executor);
          const owner = await findPerson(executor, person);
          if (owner?.isLocked !== false)
            throw refuseSignIn(context, { factor: 'passkey', reason: 'locked person' }, person);
          return openSession(context, executor, { person, state: 'whole', factors: ['passkey'], record });
        },
        person,
      ),
    );
    return welcome(context, token);
  },
} satisfies Partial<PersonHandlers>;

/** Exchanges a pending session for a whole one. */
async function giveSecondFactor(
  context: PersonContext,
  session: LiveSession,
  factor: FactorKind,
  use: (executor: Executor, factors: Factors) => Promise<boolean>,
) {
  const { store, seal } = context;
  const { person } = session;
  if (session.state !== 'pending') {
    throw new Refusal('sign_in_refused', 'the session needs no second factor to be whole');
  }
  const guess = {
    what: 'code',
    factor,
    person: person.id,
    name: person.id,
    device: deviceOf(context, person.id),
  } as const;
  const token = await attempt(context, guess, () =>
    store.write([], async (executor, record) => {
      const factors = await readFactors(executor, seal, person.id);
      if (!(await use(executor, factors))) throw refuseSignIn(context, { factor, reason: 'wrong' }, person.id);
      // Of two that come at once, one finds the session.
      if (!(await deleteSession(executor, session.id))) throw new Refusal('signed_out', 'the session has ended');
      record([{ kind: 'session', id: session.id, action: 'deleted' }]);
      const opening = { person: person.id, state: 'whole', factors: [...session.factors, factor] } as const;
      // If the provider ends its session later, this one must end too.
      const providerSession = session.providerSession ?? undefined;
      // Both factors are to be recent: the provider may have asked the person long ago.
      const provenAt = Date.parse(session.provenAt);
      return openSession(context, executor, { ...opening, providerSession, provenAt, record });
    }),
  );
  return welcome(context, token);
}
