import { z } from 'zod';
import { notBoth } from '../../fields.ts';
import { passkeyAnswer, passkeyOptions, password, recoveryCode, totpCode } from '../resources/factor.ts';
import { meSchema } from '../resources/session.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

const credentials = z.strictObject({
  username: z
    .string()
    .min(1)
    .max(200)
    .meta({ examples: ['ada'] }),
  password,
});
const token = z
  .string()
  .max(100)
  .meta({ description: 'what the link has behind its hash sign', examples: ['rolecall_invitation_3q2-7w'] });
const proof = z
  .strictObject({ password, code: totpCode.optional(), recoveryCode: recoveryCode.optional() })
  .refine(({ code, recoveryCode: other }) => code === undefined || other === undefined, {
    message: 'must have a code or a recovery code, not both',
  })
  .meta({
    allOf: [notBoth('code', 'recoveryCode')],
    examples: [{ password: 'correct horse battery', code: '123456' }],
  });
const codeBody = { encoding: 'json', schema: z.strictObject({ code: totpCode }) } as const;
const passkeyBody = { encoding: 'json', schema: z.strictObject({ credential: passkeyAnswer }) } as const;
const refused = { problems: ['sign_in_refused'] } as const;

export const signInRoutes = definePersonRoutes('Sign-in', {
  startEnrolment: {
    method: 'POST',
    path: `${personApiPath}/enrolment`,
    summary: 'Open an invitation',
    description: 'The session that begins is only for setting up factors. The first of them uses the invitation up.',
    session: 'none',
    body: { encoding: 'json', schema: z.strictObject({ token }) },
    answer: meSchema,
    ...refused,
  },
  signInWithPassword: {
    method: 'POST',
    path: `${personApiPath}/sign-in/password`,
    summary: 'Sign in with a password',
    description: 'The session is pending where the person has a second factor, and enrolling where one is missing.',
    session: 'none',
    body: { encoding: 'json', schema: credentials },
    answer: meSchema,
    ...refused,
  },
  signInWithTotp: {
    method: 'POST',
    path: `${personApiPath}/sign-in/totp`,
    summary: 'Give the code of an authenticator app as the second factor',
    session: 'pending',
    body: codeBody,
    answer: meSchema,
    ...refused,
  },
  signInWithRecoveryCode: {
    method: 'POST',
    path: `${personApiPath}/sign-in/recovery-code`,
    summary: 'Give a recovery code as the second factor',
    session: 'pending',
    body: { encoding: 'json', schema: z.strictObject({ code: recoveryCode }) },
    answer: meSchema,
    ...refused,
  },
  beginPasskeySignIn: {
    method: 'POST',
    path: `${personApiPath}/sign-in/passkey-options`,
    summary: 'Get a challenge for a passkey',
    session: 'none',
    answer: passkeyOptions,
  },
  signInWithPasskey: {
    method: 'POST',
    path: `${personApiPath}/sign-in/passkey`,
    summary: 'Sign in with a passkey, which counts as two factors',
    session: 'none',
    body: passkeyBody,
    answer: meSchema,
    ...refused,
  },
  provePassword: {
    method: 'POST',
    path: `${personApiPath}/prove/password`,
    summary: 'Prove the password again, with the second factor, to change factors',
    description:
      'A person who has a second factor sends a code of the authenticator app, or a recovery code, too. ' +
      'A new session takes the place of this one, as after every proof.',
    session: 'whole',
    body: { encoding: 'json', schema: proof },
    answer: meSchema,
    ...refused,
  },
  beginPasskeyProof: {
    method: 'POST',
    path: `${personApiPath}/prove/passkey-options`,
    summary: 'Get a challenge to prove a passkey again',
    session: 'whole',
    answer: passkeyOptions,
  },
  provePasskey: {
    method: 'POST',
    path: `${personApiPath}/prove/passkey`,
    summary: 'Prove a passkey again, which counts as two factors, to change factors',
    session: 'whole',
    body: passkeyBody,
    answer: meSchema,
    ...refused,
  },
});
