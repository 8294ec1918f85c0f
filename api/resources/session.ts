import type { z } from 'zod';
import { sessionSchema } from '../person-api/resources/session.ts';
import { personReference } from './person.ts';

export const personSession = sessionSchema
  .omit({ isCurrent: true })
  .extend({ person: personReference })
  .meta({ id: 'PersonSession', description: "A person's session, as administrators see it." });

export type PersonSession = z.output<typeof personSession>;
