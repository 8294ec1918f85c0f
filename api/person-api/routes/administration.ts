import { z } from 'zod';
import { emptyObject } from '../../fields.ts';
import { editorMessage, editorSchema, newEditorMessage } from '../../resources/editor.ts';
import { gatewaySessionPage } from '../../resources/gateway-session.ts';
import { invitationSchema, invitedPerson } from '../../resources/invitation.ts';
import { personSession } from '../../resources/session.ts';
import { administrationSearch, administratorSchema, grantPage, runningQuery } from '../resources/administration.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

const path = `${personApiPath}/admin` as const;
const messages = `${path}/editor/:editor/message` as const;

/** Routes by which administrators act for others. What people reach is not changed here, but in Git. */
export const administrationRoutes = definePersonRoutes('Administration', {
  getAdministrator: {
    method: 'GET',
    path: `${personApiPath}/administrator`,
    summary: 'Tell whether the person is an administrator',
    session: 'whole',
    answer: administratorSchema,
  },
  listGrants: {
    method: 'GET',
    path: `${path}/grant`,
    summary: 'List who reaches what, through what, and until when',
    session: 'whole',
    admin: true,
    query: administrationSearch,
    answer: grantPage,
  },
  listAllSessions: {
    method: 'GET',
    path: `${path}/session`,
    summary: 'List the sessions of everyone who is signed in',
    session: 'whole',
    admin: true,
    answer: z.array(personSession),
  },
  endAnySession: {
    method: 'DELETE',
    path: `${path}/session/:session`,
    summary: "End a person's session",
    session: 'recent',
    admin: true,
    answer: emptyObject,
  },
  listRunningQueries: {
    method: 'GET',
    path: `${path}/query`,
    summary: 'List the queries that run, the oldest first',
    description: 'At most 1000.',
    session: 'whole',
    admin: true,
    answer: z.array(runningQuery),
  },
  cancelAnyQuery: {
    method: 'POST',
    path: `${path}/query/:query/cancel`,
    summary: 'Cancel a query',
    session: 'whole',
    admin: true,
    answer: emptyObject,
  },
  listAllGatewaySessions: {
    method: 'GET',
    path: `${path}/gateway-session`,
    summary: 'List the open sessions of everyone through the gateway',
    session: 'whole',
    admin: true,
    query: administrationSearch,
    answer: gatewaySessionPage,
  },
  endAnyGatewaySession: {
    method: 'DELETE',
    path: `${path}/gateway-session/:gatewaySession`,
    summary: "End a person's session through the gateway",
    session: 'whole',
    admin: true,
    answer: emptyObject,
  },
  listAllEditors: {
    method: 'GET',
    path: `${path}/editor`,
    summary: 'List editors, to post messages in them',
    session: 'whole',
    admin: true,
    query: administrationSearch,
    answer: z.object({ editors: z.array(editorSchema), isComplete: z.boolean().meta({ examples: [true] }) }),
  },
  listMessages: {
    method: 'GET',
    path: messages,
    summary: 'List the messages of an editor',
    session: 'whole',
    admin: true,
    answer: z.array(editorMessage),
  },
  postMessage: {
    method: 'POST',
    path: messages,
    summary: 'Post a message in an editor; its person sees it at once',
    session: 'whole',
    admin: true,
    body: { encoding: 'json', schema: newEditorMessage },
    answer: editorMessage,
  },
  deleteMessage: {
    method: 'DELETE',
    path: `${messages}/:messageId`,
    summary: 'Delete a message',
    session: 'whole',
    admin: true,
    answer: emptyObject,
  },
  listInvited: {
    method: 'GET',
    path: `${path}/invitation`,
    summary: 'List people who cannot sign in yet or have an open invitation',
    session: 'whole',
    admin: true,
    answer: z.array(invitedPerson),
  },
  inviteAnyone: {
    method: 'POST',
    path: `${path}/person/:person/invitation`,
    summary: 'Make a link by which a person sets up what they sign in with',
    description: 'The link works once, within 24 hours, and is shown only now. A new one replaces an older one.',
    session: 'recent',
    admin: true,
    answer: invitationSchema,
  },
});
