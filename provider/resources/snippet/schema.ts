import { accessLevels, nameRules, snippetBounds, textRules } from '@rolecall/api';
import { computed, optional, required, type Schema } from '../../plugin/framework/schema.ts';
import { accessLevel, adopt, createdAt, idAttribute, ruled, rules } from '../shared/attributes.ts';

const levels = accessLevels.map((level) => `\`${level}\``).join(', ');

export const snippetSchema: Schema = {
  version: 0,
  description:
    'A saved query. A changed `name`, `description` or `text` is a new version; where an older version has just that, it is activated again. The workspace keeps all versions.',
  attributes: {
    id: idAttribute('snippet'),
    name: required(
      'string',
      'The name, unique within its owner.',
      ruled(nameRules, 'Write a name, such as Top customers.'),
    ),
    description: {
      type: 'string',
      presence: 'optional-computed',
      default: '',
      description: 'What the snippet is for. Default: empty.',
      check: ruled(textRules(snippetBounds.description), 'Shorten it.'),
    },
    text: required(
      'string',
      'The text, usually SQL. Other line ends alone (CRLF for LF) make no new version.',
      ruled(textRules(snippetBounds.text), 'Write a query of at most 200,000 characters.'),
    ),
    owner_person_id: optional('string', 'The identifier of the person who owns it.', rules.optionalId),
    owner_role_id: optional(
      'string',
      'The identifier of the role that owns it. Leave both owners out for a snippet without one.',
      rules.optionalId,
    ),
    public_access_level: {
      type: 'string',
      presence: 'optional-computed',
      default: 'none',
      description: `What people other than the owner may do with it: ${levels}. Default: \`none\`.`,
      check: accessLevel,
    },
    locked: {
      type: 'bool',
      presence: 'optional-computed',
      default: false,
      description: 'Whether only the owner may work with it. Default: `false`.',
    },
    active_version_id: computed('string', 'The identifier of the version in use.'),
    adopt: adopt('snippet'),
    created_at: createdAt,
  },
};
