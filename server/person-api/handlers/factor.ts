import { deleted } from '../../audit/change.ts';
import type { Change } from '../../audit/entry.ts';
import { Refusal } from '../../refusal.ts';
import { challengeCookie, challengeSeconds, newChallenge } from '../../sign-in/challenge.ts';
import {
  type Factors,
  findLack,
  followFactors,
  hasSecondFactor,
  readFactors,
  stateAfter,
} from '../../sign-in/factors.ts';
import { endInvitations } from '../../sign-in/invitations.ts';
import { registrationOptions } from '../../sign-in/passkeys.ts';
import { newRecoveryCodes } from '../../sign-in/recovery-codes.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import { deleteSession, deleteSessionsOf, selectSessionsOf } from '../../store/person-session.ts';
import { deleteFactor, deleteFactorsOf, findFactorOf, renameFactor } from '../../store/sign-in-factor.ts';
import type { Executor } from '../../store/store.ts';
import { requireStill } from '../caller.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';
import { kindsOf, newTotpSetup, purposeOf, type Verified, verifyNew } from '../sign-in/new-factors.ts';
import { openSession, welcome } from '../sign-in/open-session.ts';
import { asJson, spendOnce } from '../sign-in/passkey-answer.ts';
import { showMe } from '../sign-in/show-session.ts';
import { addRecoveryCodes, showFactor, storeFactors } from '../sign-in/store-factors.ts';

export const factorHandlers = {
  listMyFactors: async (_request, { store, seal, signIn }, { person }) => {
    const { password, totp, passkeys, accounts, recoveryCodes } = await store.read((executor) =>
      readFactors(executor, seal, person.id),
    );
    const all = [password, totp, ...passkeys, ...accounts].filter((factor) => factor !== undefined);
    return {
      factors: all.map(({ id, kind, name, createdAt, lastUsedAt }) => ({ id, kind, name, createdAt, lastUsedAt })),
      recoveryCodesLeft: recoveryCodes.length,
      twoFactorRequired: signIn.requireTwoFactor,
    };
  },

  setUpTotp: (_request, context, session) => Promise.resolve(newTotpSetup(context, session)),

  setUpPasskey: async (_request, { store, seal, signIn, origin, cookie }, session) => {
    const { passkeys } = await store.read((executor) => readFactors(executor, seal, session.person.id));
    const { token, challenge } = newChallenge({ seal, clock: signIn.clock }, purposeOf(session));
    const options = await registrationOptions(origin() ?? '', challenge, { ...session.person, passkeys });
    cookie.keep(challengeCookie, token, challengeSeconds);
    return asJson(options);
  },

  addFactors: async ({ body }, context, session) => {
    const { store } = context;
    const given = await verifyNew(context, session, body);
    const { token, codes } = await spendOnce(() =>
      store.write([], async (executor, record) => {
        const at = (await executor.now()).toISOString();
        const oldFactors = await readFactors(executor, context.seal, session.person.id);
        if (session.state === 'enrolling') await useEnrolment(executor, session, oldFactors, given);
        else await requireStill(executor, session);
        const { changes, codes } = await storeFactors(context, executor, { session, before: oldFactors, given, at });
        const factors = await followFactors(executor, context.seal, session.person.id);
        requireEnough(factors, context);
        record(changes);
        if (session.state !== 'enrolling') {
          record(await endOthers(executor, session));
          return { token: undefined, codes };
        }
        record((await deleteSessionsOf(executor, session.person.id)).map(({ id }) => sessionEnded(id)));
        const proven = [...session.factors, ...kindsOf(given)];
        const state = stateAfter(proven, factors, context.signIn.requireTwoFactor);
        const opening = { person: session.person.id, state, factors: proven, record };
        return { token: await openSession(context, executor, opening), codes };
      }),
    );
    return { me: token === undefined ? showMe(session) : await welcome(context, token), recoveryCodes: codes };
  },

  makeRecoveryCodes: async (_request, { store, seal }, session) => {
    const { person } = session;
    const codes = newRecoveryCodes();
    await store.write([], async (executor, record) => {
      await requireStill(executor, session);
      const old = await deleteFactorsOf(executor, { person: person.id, kind: 'recovery_code' });
      await addRecoveryCodes(executor, seal, person.id, codes);
      record([
        {
          kind: 'person',
          id: person.id,
          name: person.username,
          action: 'changed',
          before: { recoveryCodes: old.length },
          after: { recoveryCodes: codes.length },
        },
      ]);
    });
    return codes;
  },

  renameFactor: async ({ params, body }, { store }, { person }) => {
    await store.write([], async (executor, record) => {
      const factor = await findFactorOf(executor, params.factor, person.id);
      if (factor === undefined || factor.name === body.name) return;
      await renameFactor(executor, { id: factor.id, name: body.name });
      const { id, name } = factor;
      record([
        {
          kind: 'sign_in_factor',
          id,
          name: body.name,
          action: 'changed',
          before: { name },
          after: { name: body.name },
        },
      ]);
    });
    return {};
  },

  removeFactor: async ({ params }, context, session) => {
    const { store, seal } = context;
    await store.write([], async (executor, record) => {
      await requireStill(executor, session);
      const factor = await findFactorOf(executor, params.factor, session.person.id);
      if (factor === undefined || !(await deleteFactor(executor, factor.id))) return;
      const factors = await followFactors(executor, seal, session.person.id);
      requireEnough(factors, context);
      record([deleted(showFactor(factor)), ...(await endOthers(executor, session))]);
    });
    return {};
  },
} satisfies Partial<PersonHandlers>;

/** Uses an enrolling session up, and the invitation that opened it, in the write that stores the first factor. */
async function useEnrolment(
  executor: Executor,
  session: LiveSession,
  oldFactors: Factors,
  given: Verified,
): Promise<void> {
  const isOver = new Refusal('sign_in_refused', 'the link is over or used: ask an administrator for a new one');
  if (!(await deleteSession(executor, session.id))) throw isOver;
  if (!isInvited(session)) return;
  if (!(await endInvitations(executor, session.person.id))) throw isOver;
  // A person with only the link must not get past the second factor.
  if (hasSecondFactor(oldFactors) && kindsOf(given).some((kind) => kind !== 'password')) {
    const remedy = 'sign in with it to add another one, or ask an administrator to take it away';
    throw new Refusal('factor_needed', `you have a second factor: ${remedy}`);
  }
}

/** True if an invitation opened the session, and no factor. */
function isInvited({ state, factors }: LiveSession): boolean {
  return state === 'enrolling' && factors.length === 0;
}

/** @throws Refusal factor_needed */
function requireEnough(factors: Factors, { signIn }: PersonContext): void {
  const lack = findLack(factors, signIn.requireTwoFactor);
  if (lack !== undefined) throw new Refusal('factor_needed', lack);
}

/** Ends the other sessions of a person whose factors have changed: one of them may be why. */
async function endOthers(executor: Executor, session: LiveSession): Promise<Change[]> {
  const others = (await selectSessionsOf(executor, session.person.id)).filter(({ id }) => id !== session.id);
  for (const { id } of others) await deleteSession(executor, id);
  return others.map(({ id }) => sessionEnded(id));
}

function sessionEnded(id: string): Change {
  return { kind: 'session', id, action: 'deleted', along: true };
}
