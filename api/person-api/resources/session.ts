import { z } from 'zod';
import { shortId, timestamp } from '../../fields.ts';
import { personReference } from '../../resources/person.ts';

export const sessionId = shortId('s4Wn8cLq2RkD').describe('identifier of the session');

/** The factors by which a session was opened. */
export const factorKinds = ['oidc', 'password', 'totp', 'recovery_code', 'passkey'] as const;

export const sessionSchema = z
  .object({
    id: sessionId,
    kind: z.enum(['browser', 'command_line']),
    factors: z.array(z.enum(factorKinds)).meta({ examples: [['password', 'totp']] }),
    createdAt: timestamp(),
    lastUsedAt: timestamp(),
    expiresAt: timestamp(),
    address: z.string().meta({ description: 'the address that it was opened from', examples: ['192.0.2.7'] }),
    client: z.string().meta({ description: 'what the browser or tool says it is', examples: ['Firefox'] }),
    isCurrent: z.boolean().meta({ description: 'whether this request was made with it' }),
  })
  .meta({ id: 'Session', description: 'A session of the person.' });

export const meSchema = z
  .object({
    person: personReference,
    session: sessionSchema,
    state: z.enum(['pending', 'enrolling', 'whole']).meta({
      description:
        '`pending` until a second factor is given, `enrolling` until one is set up, `whole` once the person has signed in',
    }),
    csrfToken: z.string().meta({
      description: 'to be sent as `rolecall-csrf` with every request of a browser that changes something',
      examples: ['3q2-7w'],
    }),
  })
  .meta({ id: 'Me', description: 'The person who is signed in.' });

export type Session = z.output<typeof sessionSchema>;
export type Me = z.output<typeof meSchema>;
export type FactorKind = (typeof factorKinds)[number];
