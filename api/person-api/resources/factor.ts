import { z } from 'zod';
import { line, named, shortId, timestamp } from '../../fields.ts';
import { factorKinds, meSchema } from './session.ts';

export const factorId = shortId('f7Kq2mXw4TzA').describe('identifier of the factor');

const factorName = line(100, 'Work laptop').describe('what the person calls it');

export const factorSchema = z
  .object({
    id: factorId,
    kind: z.enum(factorKinds),
    name: factorName,
    createdAt: timestamp(),
    lastUsedAt: timestamp().nullable(),
  })
  .meta({ id: 'Factor', description: 'Something that the person signs in with.' });

export const factorsSchema = z
  .object({
    factors: z.array(factorSchema).meta({ description: 'all but the recovery codes' }),
    recoveryCodesLeft: z
      .int()
      .min(0)
      .meta({ examples: [10] }),
    twoFactorRequired: z
      .boolean()
      .meta({ description: 'whether the service asks everyone for a second factor', examples: [false] }),
  })
  .meta({ id: 'Factors' });

/** The longest password that is taken, in UTF-16 units. */
const longestPassword = 256;

export const password = z
  .string()
  .min(1)
  .max(longestPassword)
  .meta({ description: 'any characters; compared in Unicode form NFC', examples: ['correct horse battery'] });

export const totpCode = z
  .string()
  .regex(/^[0-9]{6}$/, 'must be six digits')
  .meta({ examples: ['492039'] });

export const recoveryCode = z
  .string()
  // Those of earlier versions have 16.
  .regex(/^[A-Za-z2-7 -]{16,30}$/, 'must be 24 letters and digits from 2 to 7')
  .meta({ examples: ['ABCD-EFGH-JKLM-NOPQ-RSTU-VWXY'] });

const base64url = (most: number, example: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')
    .max(most)
    .meta({ examples: [example] });

const credential = {
  id: base64url(2000, 'AQID'),
  rawId: base64url(2000, 'AQID'),
  type: z.literal('public-key').meta({ examples: ['public-key'] }),
};

/** A browser's answer to the creation of a passkey: `PublicKeyCredential.toJSON()`. */
export const passkeyRegistration = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(4000, 'e30'),
      attestationObject: base64url(8000, 'o2M'),
      transports: z
        .array(z.string().max(20))
        .max(10)
        .optional()
        .meta({ examples: [['internal']] }),
    }),
  })
  .meta({ id: 'PasskeyRegistration', description: 'A credential as WebAuthn has it, as JSON.' });

/** A browser's answer to a challenge. */
export const passkeyAnswer = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(4000, 'e30'),
      authenticatorData: base64url(4000, 'SZY'),
      signature: base64url(4000, 'MEU'),
      userHandle: base64url(200, 'cDc').optional(),
    }),
  })
  .meta({ id: 'PasskeyAnswer', description: 'An assertion as WebAuthn has it, as JSON.' });

/** The options of WebAuthn, which the browser takes as they are. */
export const passkeyOptions = z
  .record(z.string(), z.json())
  .meta({ description: 'for `PublicKeyCredential.parse…OptionsFromJSON`', examples: [{ challenge: '3q2-7w' }] });

export const totpSetup = z
  .object({
    secret: z.string().meta({ description: 'to be typed into an authenticator app', examples: ['JBSWY3DPEHPK3PXP'] }),
    uri: z
      .string()
      .meta({ description: 'for a QR code', examples: ['otpauth://totp/Rolecall:ada?secret=JBSWY3DPEHPK3PXP'] }),
    setup: z.string().meta({ description: 'to be sent back with the first code', examples: ['3q2-7w'] }),
  })
  .meta({ id: 'TotpSetup' });

export const newFactors = z
  .strictObject({
    password: password.optional(),
    currentPassword: password.optional().meta({
      description: 'the present one, to change it in a session that is whole',
      examples: ['correct horse battery'],
    }),
    totp: z.strictObject({ setup: base64url(2000, '3q2-7w'), code: totpCode }).optional(),
    passkey: z.strictObject({ name: named(factorName), credential: passkeyRegistration }).optional(),
  })
  .refine(({ password: secret, totp, passkey }) => [secret, totp, passkey].some((answer) => answer !== undefined), {
    message: 'must have a password, a code or a passkey',
  })
  .meta({
    allOf: [
      { anyOf: ['password', 'totp', 'passkey'].map((name) => ({ properties: { [name]: {} }, required: [name] })) },
    ],
  });

export const recoveryCodes = z
  .array(z.string())
  .meta({ description: 'shown this once; each works once', examples: [['ABCD-EFGH-JKLM-NOPQ-RSTU-VWXY']] });

export const addedFactors = z
  .object({ me: meSchema, recoveryCodes: recoveryCodes.meta({ description: 'new ones, if the person had none' }) })
  .meta({ id: 'AddedFactors' });

export const renamedFactor = z.strictObject({ name: named(factorName) });

export type Factors = z.output<typeof factorsSchema>;
export type Factor = z.output<typeof factorSchema>;
export type AddedFactors = z.output<typeof addedFactors>;
export type TotpSetup = z.output<typeof totpSetup>;
export type NewFactors = z.output<typeof newFactors>;
export type PasskeyRegistration = z.output<typeof passkeyRegistration>;
export type PasskeyAnswer = z.output<typeof passkeyAnswer>;
