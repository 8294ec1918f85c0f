import { optional, required, type Schema } from '../../plugin/framework/schema.ts';
import { adopt, createdAt, idAttribute, protectedAttribute, rules } from '../shared/attributes.ts';

export const personSchema: Schema = {
  version: 0,
  description:
    'A person who works in the workspace. People cannot be edited there: a changed `username`, `name` or `email` deletes the person and creates another one, which needs `replace_allowed`.',
  attributes: {
    id: idAttribute('person'),
    username: {
      ...required('string', 'The name that the person signs in with, unique whatever the case.', rules.username),
      replaces: true,
    },
    name: { ...required('string', 'The full name.', rules.personName), replaces: true },
    email: {
      ...required(
        'string',
        'The e-mail address, unique whatever the case. A domain of another script is stored in its ASCII form.',
        rules.email,
      ),
      replaces: true,
    },
    locked: {
      type: 'bool',
      presence: 'optional-computed',
      default: false,
      description: 'Whether the person is kept out of the workspace. Default: `false`.',
    },
    protected: protectedAttribute('person'),
    replace_allowed: optional(
      'bool',
      'Allows the deletion and new creation that a changed `username`, `name` or `email` takes. What the person has outside of this configuration is lost then; the plan warns of it.',
    ),
    adopt: adopt('person'),
    created_at: createdAt,
  },
};
