import { computed, optional, required, type Schema } from '../../plugin/framework/schema.ts';
import { adopt, createdAt, dataSourceType, idAttribute, protectedAttribute, rules } from '../shared/attributes.ts';
import { checkUri } from './connection.ts';

export const dataSourceSchema: Schema = {
  version: 0,
  description:
    'A connection to a database server. Its password is best given by `password_wo`, which Terraform (1.11 or newer) passes on and stores nowhere. Changes made elsewhere are found by the time of the last update; comparing the connection then needs an API key with the scope `admin`.',
  attributes: {
    id: idAttribute('data source'),
    name: required('string', 'The name that people are shown.', rules.dataSourceName),
    alias: required('string', 'The short name, unique in the workspace.', rules.alias),
    uri: required(
      'string',
      'The connection URI without a password, such as `postgresql://reporting@db.internal:5432/billing`. Parameters that the workspace adds are no drift.',
      checkUri,
    ),
    password_wo: {
      ...optional(
        'string',
        'The password. Write-only: it is in no plan and no state. Needs `password_wo_version`.',
        rules.password,
      ),
      sensitive: true,
      writeOnly: true,
    },
    password_wo_version: optional(
      'number',
      'Any number. When it changes, `password_wo` is sent again. An error without `password_wo`.',
    ),
    password: {
      ...optional(
        'string',
        'The password, for Terraform before 1.11: it is in the state. Otherwise use `password_wo`.',
        rules.password,
      ),
      sensitive: true,
    },
    type: computed(
      'string',
      "The type, from the URI's scheme: `postgresql`, `mysql`, `mariadb` or `sqlite`.",
      dataSourceType,
    ),
    protected: protectedAttribute('data source'),
    adopt: adopt('data source'),
    created_at: createdAt,
    updated_at: { ...computed('string', 'When it was last changed (RFC 3339).'), recomputed: true },
  },
};
