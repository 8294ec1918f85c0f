import type { Schema } from '../../plugin/framework/schema.ts';
import { adopt, createdAt, dataSourceType, idAttribute, protectedAttribute, rules } from '../shared/attributes.ts';
import { checkUri } from './connection.ts';

export const dataSourceSchema: Schema = {
  version: 0,
  description:
    'A connection to a database server. Its password is best given by `password_wo`, which Terraform (1.11 or newer) passes on and stores nowhere. Changes made elsewhere are found by the time of the last update; comparing the connection then needs an API key with the scope `admin`.',
  attributes: {
    id: idAttribute('data source'),
    name: {
      type: 'string',
      presence: 'required',
      description: 'The name that people are shown.',
      check: rules.dataSourceName,
    },
    alias: {
      type: 'string',
      presence: 'required',
      description: 'The short name, unique in the workspace.',
      check: rules.alias,
    },
    uri: {
      type: 'string',
      presence: 'required',
      description:
        'The connection URI without a password, such as `postgresql://reporting@db.internal:5432/billing`. Parameters that the workspace adds are no drift.',
      check: checkUri,
    },
    password_wo: {
      type: 'string',
      presence: 'optional',
      sensitive: true,
      writeOnly: true,
      description: 'The password. Write-only: it is in no plan and no state. Needs `password_wo_version`.',
      check: rules.password,
    },
    password_wo_version: {
      type: 'number',
      presence: 'optional',
      description: 'Any number. When it changes, `password_wo` is sent again. An error without `password_wo`.',
    },
    password: {
      type: 'string',
      presence: 'optional',
      sensitive: true,
      description: 'The password, for Terraform before 1.11: it is in the state. Otherwise use `password_wo`.',
      check: rules.password,
    },
    type: {
      type: 'string',
      presence: 'computed',
      description: "The type, from the URI's scheme: `postgresql`, `mysql`, `mariadb` or `sqlite`.",
      check: dataSourceType,
    },
    protected: protectedAttribute('data source'),
    adopt: adopt('data source'),
    created_at: createdAt,
    updated_at: {
      type: 'string',
      presence: 'computed',
      recomputed: true,
      description: 'When it was last changed (RFC 3339).',
    },
  },
};
