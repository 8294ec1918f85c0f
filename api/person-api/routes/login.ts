import { confirmedLogin, loginSchema, newLogin, redeemedLogin, toolSession, waitingTool } from '../resources/login.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

const path = `${personApiPath}/login` as const;

export const loginRoutes = definePersonRoutes('Sign-in of tools', {
  requestLogin: {
    method: 'POST',
    path,
    summary: 'Ask for a session for a tool',
    description: 'The person confirms it in a browser within ten minutes.',
    session: 'none',
    body: { encoding: 'json', schema: newLogin },
    answer: loginSchema,
  },
  getLogin: {
    method: 'GET',
    path: `${path}/:code`,
    summary: 'Get the tool that waits under a code',
    session: 'whole',
    answer: waitingTool,
    problems: ['sign_in_refused'],
  },
  confirmLogin: {
    method: 'POST',
    path: `${path}/:code/confirm`,
    summary: 'Give the tool that waits under a code a session of the person',
    session: 'whole',
    answer: confirmedLogin,
    problems: ['sign_in_refused'],
  },
  redeemLogin: {
    method: 'POST',
    path: `${path}-redemption`,
    summary: 'Get the session that the person has confirmed',
    session: 'none',
    body: { encoding: 'json', schema: redeemedLogin },
    answer: toolSession,
    problems: ['sign_in_refused'],
  },
});
