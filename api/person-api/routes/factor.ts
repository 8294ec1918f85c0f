import { emptyObject } from '../../fields.ts';
import {
  addedFactors,
  factorsSchema,
  newFactors,
  passkeyOptions,
  recoveryCodes,
  renamedFactor,
  totpSetup,
} from '../resources/factor.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

export const factorRoutes = definePersonRoutes('Factors', {
  listMyFactors: {
    method: 'GET',
    path: `${personApiPath}/factor`,
    summary: 'List what the person signs in with',
    session: 'pending',
    answer: factorsSchema,
  },
  setUpTotp: {
    method: 'POST',
    path: `${personApiPath}/totp-setup`,
    summary: 'Begin to set up an authenticator app',
    description: 'Stores nothing: the app counts once its first code is sent with the other new factors.',
    session: 'enrolling',
    answer: totpSetup,
  },
  setUpPasskey: {
    method: 'POST',
    path: `${personApiPath}/passkey-setup`,
    summary: 'Begin to set up a passkey',
    session: 'enrolling',
    answer: passkeyOptions,
  },
  addFactors: {
    method: 'POST',
    path: `${personApiPath}/factor`,
    summary: 'Set up factors, all of them or none',
    description:
      'A password replaces the one before, an authenticator app too. The other sessions of the person end. In an enrolling session it uses the invitation up, and a new session begins.',
    session: 'enrolling',
    body: { encoding: 'json', schema: newFactors },
    answer: addedFactors,
    problems: ['sign_in_refused', 'factor_needed'],
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: `${personApiPath}/recovery-code`,
    summary: 'Replace the recovery codes by new ones',
    session: 'recent',
    answer: recoveryCodes,
  },
  renameFactor: {
    method: 'POST',
    path: `${personApiPath}/factor/:factor`,
    summary: 'Rename a factor',
    session: 'recent',
    ownObject: 'factor',
    body: { encoding: 'json', schema: renamedFactor },
    answer: emptyObject,
  },
  removeFactor: {
    method: 'DELETE',
    path: `${personApiPath}/factor/:factor`,
    summary: 'Remove a factor',
    description: 'The other sessions of the person end. The last way to sign in cannot be removed.',
    session: 'recent',
    ownObject: 'factor',
    answer: emptyObject,
    problems: ['factor_needed'],
  },
});
