import type { PersonReference } from '@rolecall/api';

/** The columns of a person who may be absent, as a left join gives them. */
export interface MaybePerson {
  personId: string | null;
  username: string | null;
  email: string | null;
  personName: string | null;
}

export function personOrNull({ personId, username, email, personName }: MaybePerson): PersonReference | null {
  if (personId === null || username === null || email === null || personName === null) return null;
  return { id: personId, username, email, name: personName };
}
