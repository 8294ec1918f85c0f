import { asciiEmail } from '@rolecall/api';
import { newId } from '../../ids.ts';
import { openGenuine, type Seal } from '../../secrets/seal.ts';
import { findPerson, findPersonByEmail } from '../../store/person.ts';
import {
  factorRow,
  findFactorByLookup,
  insertFactor,
  type StoredFactor,
  selectFactorsOf,
} from '../../store/sign-in-factor.ts';
import type { Executor } from '../../store/store.ts';
import type { Identity } from './claims.ts';
import { OidcRefusal } from './refusal.ts';
import type { OidcIssuer } from './settings.ts';

type Subject = Pick<Identity, 'issuer' | 'subject'>;

/**
 * The person that an account of a provider is bound to; undefined if there is none.
 *
 * @throws Refusal sign_in_refused where the row is not as the service wrote it
 */
export async function findPersonOfAccount(
  executor: Executor,
  seal: Seal,
  account: Subject,
): Promise<string | undefined> {
  const factor = await findFactorByLookup(executor, lookupOf(account));
  if (factor === undefined || isIntact(factor, seal, account)) return factor?.person;
  throw new OidcRefusal('altered', 'the binding of your account was changed in the database, and not by the service');
}

function isIntact(factor: StoredFactor, seal: Seal, account: Subject): boolean {
  return openGenuine(seal, factor.sealed, factorRow(factor)) === contentOf(account);
}

/**
 * Binds an account of a provider to the person with the same verified e-mail address, at the first sign-in.
 *
 * @throws Refusal sign_in_refused, with the reason
 */
export async function bindAccount(
  executor: Executor,
  seal: Seal,
  { identity, settings }: { identity: Identity; settings: OidcIssuer },
): Promise<string> {
  const person = await personToBind(executor, identity, settings);
  const factor = { id: newId(), person, kind: 'oidc' as const, name: settings.name, lookup: lookupOf(identity) };
  const sealed = seal.close(contentOf(identity), factorRow(factor));
  const at = (await executor.now()).toISOString();
  await insertFactor(executor, { ...factor, sealed, counter: 0, createdAt: at, lastUsedAt: null });
  return person;
}

async function personToBind(
  executor: Executor,
  { email }: Identity,
  { name, bindByEmail }: OidcIssuer,
): Promise<string> {
  const refuse = (why: string, error: 'unknown_person' | 'other_account' = 'unknown_person') =>
    new OidcRefusal(error, `${name} signed you in, but ${why}`);
  if (!bindByEmail) throw refuse('no person here is bound to your account there, and e-mail addresses do not bind one');
  if (email === undefined) throw refuse('it does not give a verified e-mail address by which you could be found here');
  const id = await findPersonByEmail(executor, email);
  const person = id === undefined ? undefined : await findPerson(executor, id);
  // Letters of other scripts that look or fold alike make two addresses, so there only the very same one counts.
  const isSame = person !== undefined && (person.email === asciiEmail(email) || /^[\x21-\x7e]+$/.test(email));
  if (!isSame) throw refuse('no person here has the e-mail address that it gives');
  const bound = (await selectFactorsOf(executor, person.id)).find(({ kind }) => kind === 'oidc');
  if (bound !== undefined) {
    const why = `the person with that e-mail address signs in with another account, of ${bound.name}`;
    throw refuse(why, 'other_account');
  }
  return person.id;
}

const lookupOf = ({ issuer, subject }: Subject): string => `oidc ${issuer} ${subject}`;

/** The seal covers the person too. */
const contentOf = ({ issuer, subject }: Subject): string => JSON.stringify({ issuer, subject });
