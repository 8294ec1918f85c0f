import type { FactorKind } from '@rolecall/api';
import { created, deleted } from '../../audit/change.ts';
import type { Change } from '../../audit/entry.ts';
import { newId } from '../../ids.ts';
import { invalidFields, type Refusal } from '../../refusal.ts';
import { spendChallenge } from '../../sign-in/challenge.ts';
import { addFactor, type Factors } from '../../sign-in/factors.ts';
import { passkeyLookup } from '../../sign-in/passkeys.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../../sign-in/recovery-codes.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import { deleteFactor, findFactorByLookup } from '../../store/sign-in-factor.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext } from '../handler.ts';
import type { Verified } from './new-factors.ts';

/** The most passkeys that one person can have. */
const mostPasskeys = 20;

interface Adding {
  readonly session: LiveSession;
  readonly before: Factors;
  readonly given: Verified;
  readonly at: string;
}

/** Stores new factors within a write. @returns what changed, and the recovery codes that came with them */
export async function storeFactors(
  { seal }: PersonContext,
  executor: Executor,
  { session, before, given, at }: Adding,
): Promise<{ changes: Change[]; codes: string[] }> {
  const person = session.person.id;
  const changes: Change[] = [];
  const base = () => ({ id: newId(), person, lookup: null, counter: 0, createdAt: at });
  const note = (factor: { id: string; person: string; kind: FactorKind; name: string; createdAt: string }): void => {
    changes.push(created(showFactor(factor)));
  };
  const replace = async (kind: 'password' | 'totp'): Promise<void> => {
    const old = before[kind];
    if (old === undefined) return;
    await deleteFactor(executor, old.id);
    changes.push(deleted(showFactor(old)));
  };
  if (given.password !== undefined) {
    await replace('password');
    const factor = { ...base(), kind: 'password', name: 'Password' } as const;
    await addFactor(executor, seal, { ...factor, secret: { ...given.password, hasSecond: false } });
    note(factor);
  }
  if (given.totp !== undefined) {
    await replace('totp');
    // The code that proved it is used.
    const factor = { ...base(), kind: 'totp', name: 'Authenticator app', counter: given.totp.step } as const;
    await addFactor(executor, seal, { ...factor, secret: { seed: given.totp.seed } });
    note(factor);
  }
  if (given.passkey !== undefined) {
    if (before.passkeys.length >= mostPasskeys) throw tooManyPasskeys();
    const { name, secret, counter, token } = given.passkey;
    if ((await findFactorByLookup(executor, passkeyLookup(secret.credential))) !== undefined) {
      throw invalidFields([{ path: 'passkey.credential', message: 'is set up already' }]);
    }
    await spendChallenge(executor, seal, token);
    const factor = { ...base(), kind: 'passkey', name, counter, lookup: passkeyLookup(secret.credential) } as const;
    await addFactor(executor, seal, { ...factor, secret });
    note(factor);
  }
  const isSecond = given.totp !== undefined || given.passkey !== undefined;
  const codes = isSecond && before.recoveryCodes.length === 0 ? newRecoveryCodes() : [];
  await addRecoveryCodes(executor, seal, person, codes);
  return { changes, codes };
}

/** Stores recovery codes. */
export async function addRecoveryCodes(
  executor: Executor,
  seal: PersonContext['seal'],
  person: string,
  codes: readonly string[],
): Promise<void> {
  const createdAt = (await executor.now()).toISOString();
  for (const code of codes) {
    const factor = {
      id: newId(),
      person,
      kind: 'recovery_code',
      name: 'Recovery code',
      lookup: null,
      counter: 0,
    } as const;
    await addFactor(executor, seal, { ...factor, createdAt, secret: { hash: hashRecoveryCode(code) } });
  }
}

/** A factor in the audit trail. */
export function showFactor({
  id,
  person,
  kind,
  name,
  createdAt,
}: {
  id: string;
  person: string;
  kind: FactorKind;
  name: string;
  createdAt: string;
}) {
  return { kind: 'sign_in_factor', id, name, fields: { person, kind, createdAt } } as const;
}

function tooManyPasskeys(): Refusal {
  return invalidFields([
    { path: 'passkey', message: `is one too many: remove one of your ${mostPasskeys} passkeys first` },
  ]);
}
