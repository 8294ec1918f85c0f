import { Refusal } from '../refusal.ts';
import { findNamedMembership } from '../store/administration.ts';
import type { Store } from '../store/store.ts';

interface AdministratorParts {
  readonly store: Pick<Store, 'read'>;
  /** The role whose members are administrators; undefined: there are none. */
  readonly adminRole: string | undefined;
}

/** True if a person is an administrator now. Each request reads the role anew, so a change in Git takes effect at the next one. */
export async function isAdministrator(person: string, { store, adminRole }: AdministratorParts): Promise<boolean> {
  if (adminRole === undefined) return false;
  return store.read(async (executor) => {
    const now = (await executor.now()).toISOString();
    return (await findNamedMembership(executor, adminRole, person, now)) !== undefined;
  });
}

/** @throws Refusal not_administrator */
export async function requireAdministrator(person: string, parts: AdministratorParts): Promise<void> {
  if (!(await isAdministrator(person, parts))) {
    throw new Refusal(
      'not_administrator',
      'only administrators may do this: the members of the role that --admin-role names',
    );
  }
}
