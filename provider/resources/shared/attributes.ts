import {
  accessLevels,
  brokenRule,
  emailRules,
  nameRules,
  type PasswordFlaw,
  passwordFlaw,
  type TextRule,
} from '@rolecall/api';
import { type Attribute, computed, type Fault, optional, required } from '../../plugin/framework/schema.ts';
import type { Value } from '../../plugin/values/value.ts';

/** Attributes that several resources have, and the service's own rules for values. */

/** Holds an attribute to the rule that the service has for it, so that a plan finds what an apply would. */
export function ruled(textRules: readonly TextRule[], remedy: string): (value: Value) => Fault | undefined {
  return (value) => {
    const message = typeof value === 'string' ? brokenRule(textRules, value) : undefined;
    return message === undefined ? undefined : { message, remedy };
  };
}

function notEmpty(remedy: string): (value: Value) => Fault | undefined {
  return (value) => (value === '' ? { message: 'is empty', remedy } : undefined);
}

export const rules = {
  username: ruled(nameRules, 'Write the name that the person signs in with, such as ada.'),
  personName: ruled(nameRules, 'Write the full name, such as Ada Lovelace.'),
  email: ruled(emailRules, 'Write it as in ada@example.com.'),
  roleName: ruled(nameRules, 'Write the name of the role, such as analysts.'),
  alias: ruled(nameRules, 'Write a short name, such as billing.'),
  dataSourceName: ruled(nameRules, 'Write the name that people are shown, such as Billing.'),
  id: notEmpty('Write an id, such as rolecall_person.ada.id.'),
  optionalId: notEmpty('Write an id, or leave the attribute out.'),
  ids: (value: Value): Fault | undefined =>
    Array.isArray(value) && value.some((item) => item === '')
      ? { message: 'has an empty id', remedy: 'Take it out; [] means none.' }
      : undefined,
  password,
};

function password(value: Value): Fault | undefined {
  const flaw = typeof value === 'string' ? passwordFlaw(value) : undefined;
  return flaw && flaws[flaw];
}

const write = 'Write the password, or leave the attribute out.';
const flaws: Readonly<Record<PasswordFlaw, Fault>> = {
  empty: { message: 'is empty', remedy: write },
  blank: { message: 'is only white space', remedy: write },
  'line-break': { message: 'ends with a line break', remedy: 'Store it without, or take that off by chomp().' },
  'byte-order-mark': {
    message: 'begins with a byte order mark (U+FEFF)',
    remedy: 'Store it without, as UTF-8 without BOM, or take that off by trimprefix().',
  },
};

const dataSourceTypes = ['postgresql', 'mysql', 'mariadb', 'sqlite'];

/** Checks the type of a data source. A filter with an unknown type would silently match nothing. */
export const dataSourceType = (value: Value): Fault | undefined =>
  dataSourceTypes.some((type) => type === value)
    ? undefined
    : { message: `must be one of ${dataSourceTypes.join(', ')}`, remedy: 'Write one of these.' };

/** Checks the access level: the rights of people on the snippet of another owner. */
export const accessLevel = (value: Value): Fault | undefined =>
  accessLevels.some((level) => level === value)
    ? undefined
    : { message: `must be one of ${accessLevels.join(', ')}`, remedy: 'Write one of these.' };

export const idAttribute = (what: string): Attribute =>
  computed('string', `The identifier of the ${what} in the workspace.`);

export const createdAt: Attribute = computed('string', 'When it was created (RFC 3339).');

export const adopt = (what: string): Attribute =>
  optional(
    'bool',
    `Whether a ${what} that exists already is taken over on create. \`false\` makes that an error. Default: the provider's \`adopt\`.`,
  );

export const protectedAttribute = (what: string): Attribute =>
  optional(
    'bool',
    `Refuses every plan that deletes the ${what}, by removal or replacement (by \`-replace\` or taint, too), until it is set to \`false\` and applied.`,
  );

export const reference = (what: string): Attribute => required('string', `The identifier of the ${what}.`, rules.id);
