import type { FactorKind, NewFactors } from '@rolecall/api';
import { networkOf } from '../../http/connections.ts';
import { invalidFields } from '../../refusal.ts';
import { openGenuine } from '../../secrets/seal.ts';
import { challengeCookie, challengeOver, readChallenge } from '../../sign-in/challenge.ts';
import { hasSecondFactor, readFactors, type SecretOf } from '../../sign-in/factors.ts';
import { verifyRegistration } from '../../sign-in/passkeys.ts';
import { findPasswordFlaw, leastAlone, leastWithSecond, lengthOf } from '../../sign-in/password-rules.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import { findTotpStep, newTotpSeed, totpUri } from '../../sign-in/totp.ts';
import type { PersonContext } from '../handler.ts';
import { requirePassword } from './require-password.ts';

/** Time in which a person has to type the first code of an authenticator app, in milliseconds. */
const setupMs = 10 * 60_000;

/** The proven part of new factors, before they are stored. */
export interface Verified {
  readonly password?: { hash: string; isLong: boolean } | undefined;
  readonly totp?: { seed: string; step: number } | undefined;
  readonly passkey?: { name: string; secret: SecretOf<'passkey'>; counter: number; token: string } | undefined;
}

/** Checks new factors: a factor counts only once it was proven. @throws Refusal invalid_fields, sign_in_refused */
export async function verifyNew(context: PersonContext, session: LiveSession, given: NewFactors): Promise<Verified> {
  const { password, totp, passkey } = given;
  return {
    totp: totp && verifyTotp(context, session, totp),
    passkey: passkey && (await verifyPasskey(context, session, passkey)),
    password: password === undefined ? undefined : await hashPassword(context, session, password, given),
  };
}

async function hashPassword(
  context: PersonContext,
  session: LiveSession,
  password: string,
  { totp, passkey, currentPassword }: NewFactors,
): Promise<NonNullable<Verified['password']>> {
  const { store, seal, signIn, asker } = context;
  const { person } = session;
  const factors = await store.read((executor) => readFactors(executor, seal, person.id));
  // Who finds an open session must not lock its person out.
  if (session.state === 'whole' && factors.password !== undefined) {
    if (currentPassword === undefined) throw invalidFields([{ path: 'currentPassword', message: 'is missing' }]);
    await requirePassword(context, session, currentPassword);
  }
  const hasSecond = totp !== undefined || passkey !== undefined || hasSecondFactor(factors);
  const least = hasSecond ? leastWithSecond : leastAlone;
  const flaw = await findPasswordFlaw(password, { least, words: [person.username, person.email] });
  if (flaw !== undefined) throw invalidFields([{ path: 'password', message: flaw }]);
  const isLong = lengthOf(password) >= leastAlone;
  return { hash: await signIn.passwords.hash(password, networkOf(asker.address)), isLong };
}

function verifyTotp(
  { seal, signIn }: PersonContext,
  session: LiveSession,
  { setup, code }: NonNullable<NewFactors['totp']>,
): NonNullable<Verified['totp']> {
  const now = signIn.clock.now();
  const opened = openGenuine(seal, Buffer.from(setup, 'base64url'), setupRow(session));
  // What opens was sealed by `setUpTotp`.
  const begun = opened === undefined ? undefined : (JSON.parse(opened) as { seed: string; until: number });
  if (begun === undefined || begun.until < now) {
    throw invalidFields([{ path: 'totp.setup', message: 'is over, or of another session: begin again' }]);
  }
  const step = findTotpStep(begun.seed, code, { now, after: 0 });
  if (step !== undefined) return { seed: begun.seed, step };
  const message = 'is wrong: compare the clock of the device, or scan the QR code again';
  throw invalidFields([{ path: 'totp.code', message }]);
}

async function verifyPasskey(
  { seal, signIn, origin, cookie }: PersonContext,
  session: LiveSession,
  { name, credential }: NonNullable<NewFactors['passkey']>,
): Promise<NonNullable<Verified['passkey']>> {
  const token = cookie.read(challengeCookie);
  const challenge = readChallenge({ seal, clock: signIn.clock }, purposeOf(session), token);
  if (token === undefined || challenge === undefined) throw challengeOver();
  const verified = await verifyRegistration(credential, { origin: origin() ?? '', challenge });
  if (verified !== undefined) return { ...verified, name, token };
  throw invalidFields([{ path: 'passkey.credential', message: 'does not answer the challenge of this service' }]);
}

/** The kinds that were proven. */
export function kindsOf({ password, totp, passkey }: Verified): FactorKind[] {
  return [
    ...(password === undefined ? [] : (['password'] as const)),
    ...(totp === undefined ? [] : (['totp'] as const)),
    ...(passkey === undefined ? [] : (['passkey'] as const)),
  ];
}

/** Begins to set an authenticator app up: its seed travels sealed with the browser until its first code comes. */
export function newTotpSetup({ seal, signIn }: PersonContext, session: LiveSession) {
  const seed = newTotpSeed();
  const text = JSON.stringify({ seed, until: signIn.clock.now() + setupMs });
  const setup = Buffer.from(seal.close(text, setupRow(session))).toString('base64url');
  return { secret: seed, uri: totpUri(seed, session.person.username), setup };
}

const setupRow = (session: LiveSession): string => `totp setup ${session.id}`;

/** The purpose of the challenge for a new passkey. */
export const purposeOf = (session: LiveSession): string => `session ${session.id}`;
