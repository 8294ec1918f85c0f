import type { Schema } from '../../plugin/framework/schema.ts';
import { adopt, createdAt, idAttribute, protectedAttribute, rules } from '../shared/attributes.ts';

export const personSchema: Schema = {
  version: 0,
  description:
    'A person who works in the workspace. People cannot be edited there: a changed `username`, `name` or `email` deletes the person and creates another one, which needs `replace_allowed`.',
  attributes: {
    id: idAttribute('person'),
    username: {
      type: 'string',
      presence: 'required',
      description: 'The name that the person signs in with, unique whatever the case.',
      replaces: true,
      check: rules.username,
    },
    name: {
      type: 'string',
      presence: 'required',
      description: 'The full name.',
      replaces: true,
      check: rules.personName,
    },
    email: {
      type: 'string',
      presence: 'required',
      description: 'The e-mail address, unique whatever the case.',
      replaces: true,
      check: rules.email,
    },
    locked: {
      type: 'bool',
      presence: 'optional-computed',
      default: false,
      description: 'Whether the person is kept out of the workspace. Default: `false`.',
    },
    protected: protectedAttribute('person'),
    replace_allowed: {
      type: 'bool',
      presence: 'optional',
      description:
        'Allows the deletion and new creation that a changed `username`, `name` or `email` takes. What the person has outside of this configuration is lost then; the plan warns of it.',
    },
    adopt: adopt('person'),
    created_at: createdAt,
  },
};
