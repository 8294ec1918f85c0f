import { required, type Schema } from '../../plugin/framework/schema.ts';
import { adopt, createdAt, idAttribute, protectedAttribute, rules } from '../shared/attributes.ts';

export const personSchema: Schema = {
  version: 0,
  description:
    'A person who works in the workspace. `username`, `name` and `email` are edited in place: the person keeps the `id`, and all that they have. A service that cannot edit people gets no such plan.',
  attributes: {
    id: idAttribute('person'),
    username: required('string', 'The name that the person signs in with, unique whatever the case.', rules.username),
    name: required('string', 'The full name.', rules.personName),
    email: required(
      'string',
      'The e-mail address, unique whatever the case. A domain of another script is stored in its ASCII form.',
      rules.email,
    ),
    locked: {
      type: 'bool',
      presence: 'optional-computed',
      default: false,
      description: 'Whether the person is kept out of the workspace. Default: `false`.',
    },
    protected: protectedAttribute('person'),
    adopt: adopt('person'),
    created_at: createdAt,
  },
};
