import { z } from 'zod';
import { invitationSchema, invitedPerson, newInvitation } from '../resources/invitation.ts';
import { defineRoutes } from '../route.ts';

export const invitationRoutes = defineRoutes('Invitations', {
  invitePerson: {
    method: 'POST',
    path: '/api/v2/person/:person/invitation',
    summary: 'Invite a person to set up what they sign in with',
    description:
      "The link works once, within 24 hours. A new invitation replaces an older one. The person's factors stay valid until they set up new ones.",
    scope: 'admin',
    limitedKeys: 'refused',
    body: { encoding: 'form', schema: newInvitation },
    answer: invitationSchema,
    problems: ['sign_in_unavailable', 'mail_not_set_up', 'mail_not_sent'],
  },
  listInvitations: {
    method: 'GET',
    path: '/api/v2/invitation',
    summary: 'List people who cannot sign in yet or have an open invitation',
    description: 'Leaves out locked people.',
    scope: 'admin',
    limitedKeys: 'refused',
    answer: z.array(invitedPerson),
  },
});
