import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { personReference } from './person.ts';

/** Delivery of the link of an invitation to the person. */
export const newInvitation = z.strictObject({
  delivery: z
    .enum(['mail', 'link'])
    .optional()
    .meta({
      description:
        'mail the link to the person, or return it in the answer; default: `mail` if the service can send mail',
      examples: ['link'],
    }),
});

export const invitationSchema = z
  .object({
    person: personReference,
    link: z
      .string()
      .nullable()
      .meta({
        description: 'shown only now; null if it was mailed',
        examples: [
          'https://rolecall.example.com/enrol#rolecall_invitation_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
        ],
      }),
    sentTo: z
      .string()
      .nullable()
      .meta({ description: 'the address that the link was mailed to; null if it was not', examples: [null] }),
    expiresAt: timestamp('2026-11-03T08:30:00.000Z'),
  })
  .meta({ id: 'Invitation', description: 'A single-use link with which a person sets up how they sign in.' });

export const invitedPerson = z
  .object({
    person: personReference,
    canSignIn: z.boolean().meta({ description: 'whether the person has set up a way to sign in', examples: [false] }),
    invitedAt: timestamp().nullable(),
    expiresAt: timestamp('2026-11-03T08:30:00.000Z').nullable(),
  })
  .meta({ id: 'InvitedPerson', description: 'A person who cannot sign in yet, or who has an open invitation.' });

export type Invitation = z.output<typeof invitationSchema>;
export type InvitedPerson = z.output<typeof invitedPerson>;
