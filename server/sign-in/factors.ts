import type { FactorKind } from '@rolecall/api';
import { z } from 'zod';
import type { Seal } from '../secrets/seal.ts';
import { updateTwoFactor } from '../store/person.ts';
import type { SessionState } from '../store/person-session.ts';
import {
  factorRow,
  findPassword,
  insertFactor,
  type StoredFactor,
  selectFactorsOf,
  updateFactorSeal,
} from '../store/sign-in-factor.ts';
import type { Executor } from '../store/store.ts';

/** The sealed fields of each kind of factor. */
const secrets = {
  // `isLong`: long enough to stand alone. `hasSecond`: there is a second factor beside it; sealed here, so that deleting the
  // rows of second factors in the database does not make the password enough.
  password: z.object({ hash: z.string(), isLong: z.boolean(), hasSecond: z.boolean() }),
  totp: z.object({ seed: z.string() }),
  recovery_code: z.object({ hash: z.string() }),
  passkey: z.object({ credential: z.string(), publicKey: z.string(), transports: z.array(z.string()) }),
};

type Sealable = keyof typeof secrets;
export type SecretOf<Kind extends Sealable> = z.output<(typeof secrets)[Kind]>;

/** A factor with its secret. */
export type Opened<Kind extends Sealable> = StoredFactor & { readonly secret: SecretOf<Kind> };

/** The factors of a person. */
export interface Factors {
  readonly password: Opened<'password'> | undefined;
  readonly totp: Opened<'totp'> | undefined;
  readonly passkeys: readonly Opened<'passkey'>[];
  readonly recoveryCodes: readonly Opened<'recovery_code'>[];
  /** Accounts at OpenID providers. */
  readonly accounts: readonly StoredFactor[];
}

/** Seals the secret of a factor, within a write. */
export function sealSecret<Kind extends Sealable>(
  seal: Seal,
  factor: Pick<StoredFactor, 'id' | 'person'> & { kind: Kind },
  secret: SecretOf<Kind>,
): Uint8Array {
  return seal.close(JSON.stringify(secret), factorRow(factor));
}

/** @throws StoreKeyError where the row was changed in the database */
export function openFactor<Kind extends Sealable>(seal: Seal, factor: StoredFactor, kind: Kind): Opened<Kind> {
  const text = seal.open(factor.sealed, factorRow({ ...factor, kind }));
  // The schema of this kind gives its type, which the compiler does not follow through the index.
  return { ...factor, secret: secrets[kind].parse(JSON.parse(text)) as SecretOf<Kind> };
}

/** Reads the factors of a person. @throws StoreKeyError if a row was changed in the database */
export async function readFactors(executor: Executor, seal: Seal, person: string): Promise<Factors> {
  const rows = await selectFactorsOf(executor, person);
  const of = <Kind extends Sealable>(kind: Kind) =>
    rows.filter((row) => row.kind === kind).map((row) => openFactor(seal, row, kind));
  return {
    password: of('password')[0],
    totp: of('totp')[0],
    passkeys: of('passkey'),
    recoveryCodes: of('recovery_code'),
    accounts: rows.filter(({ kind }) => kind === 'oidc'),
  };
}

/** Reads the password alone. @throws StoreKeyError if the row was changed in the database */
export async function readPassword(
  executor: Executor,
  seal: Seal,
  person: string,
): Promise<Opened<'password'> | undefined> {
  const row = await findPassword(executor, person);
  return row && openFactor(seal, row, 'password');
}

/** Adds a factor, within a write. @throws UniqueError for `sign_in_factor.lookup` */
export async function addFactor<Kind extends Sealable>(
  executor: Executor,
  seal: Seal,
  { secret, ...factor }: Omit<StoredFactor, 'sealed' | 'lastUsedAt' | 'kind'> & { kind: Kind; secret: SecretOf<Kind> },
): Promise<void> {
  await insertFactor(executor, { ...factor, sealed: sealSecret(seal, factor, secret), lastUsedAt: null });
}

export function hasSecondFactor({ totp, passkeys }: Pick<Factors, 'totp' | 'passkeys'>): boolean {
  return totp !== undefined || passkeys.length > 0;
}

/** Updates the stored facts about a person after each change of their factors. */
export async function followFactors(executor: Executor, seal: Seal, person: string): Promise<Factors> {
  const factors = await readFactors(executor, seal, person);
  const hasSecond = hasSecondFactor(factors);
  await updateTwoFactor(executor, { person, enabled: hasSecond ? 1 : 0 });
  const { password } = factors;
  if (password !== undefined && password.secret.hasSecond !== hasSecond) {
    const sealed = sealSecret(seal, { ...password, kind: 'password' }, { ...password.secret, hasSecond });
    await updateFactorSeal(executor, { id: password.id, sealed });
  }
  return factors;
}

/** The state of a session in which these factors were proven. */
export function stateAfter(proven: readonly FactorKind[], factors: Factors, requireTwoFactor: boolean): SessionState {
  // A passkey is two factors in one, a provider has its own rules, and a code is only asked for after a password.
  if (proven.some((kind) => kind !== 'password')) return 'whole';
  if (hasSecondFactor(factors) || factors.password?.secret.hasSecond === true) return 'pending';
  return requireTwoFactor || factors.password?.secret.isLong === false ? 'enrolling' : 'whole';
}

/** Says why factors are not enough to sign in with; undefined where they are. */
export function findLack(factors: Factors, requireTwoFactor: boolean): string | undefined {
  const { password, passkeys, accounts } = factors;
  if (password === undefined && passkeys.length === 0 && accounts.length === 0) {
    return 'without a password, a passkey or an account at a provider you could not sign in any more';
  }
  if (password === undefined || hasSecondFactor(factors)) return undefined;
  if (!password.secret.isLong) return 'the password is too short to be enough without a second factor';
  return requireTwoFactor ? 'a second factor is required here' : undefined;
}
