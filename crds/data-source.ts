import { ConnectionUriError, connectionUriPattern, parseConnectionUri } from '@rolecall/api';
import { z } from 'zod';
import { commonFields, filePath, kubernetesKey, kubernetesName, variableName } from './common.ts';
import { exactlyOne } from './exactly-one.ts';
import { line } from './fields.ts';
import { complain } from './issue.ts';
import { defineKind, type WithDefaults } from './kind.ts';

const uri = line({ description: 'The connection URI, without a password.', max: 4096 })
  .check((payload) => {
    const complaint = uriComplaint(payload.value);
    if (complaint !== undefined) complain(payload, complaint);
  })
  .meta({
    description:
      'The connection URI, without a password: postgresql://, mysql:// or mariadb://user@host:port/database, or sqlite:///path.',
    minLength: 1,
    maxLength: 4096,
    pattern: connectionUriPattern.source,
    examples: ['postgresql://reporting@db.internal:5432/billing'],
  });

/** What is wrong with a URI. The complaint never repeats it, since it may carry a password. */
function uriComplaint(text: string) {
  try {
    if (parseConnectionUri(text).password === undefined) return undefined;
  } catch (error) {
    if (!(error instanceof ConnectionUriError)) throw error;
    return { message: error.message, remedy: 'Correct the URI, as in postgresql://user@host:5432/database.' };
  }
  return {
    code: 'password_in_uri' as const,
    message: 'must not contain a password',
    remedy: 'Remove the password from the URI and use passwordFrom: a secretKeyRef, an env or a file.',
  };
}

const passwordFrom = exactlyOne(
  z.strictObject({
    secretKeyRef: z
      .strictObject({ name: kubernetesName('Secret'), key: kubernetesKey('The key inside the Secret.') })
      .describe('A key of a Kubernetes Secret.')
      .exactOptional(),
    env: variableName('The environment variable that holds the password.').exactOptional(),
    file: filePath('The file that holds the password; a line break at its end is dropped.').exactOptional(),
  }),
  ['secretKeyRef', 'env', 'file'],
  'env: BILLING_PASSWORD',
).describe('Where the password of the connection URI comes from.');

const schema = z.strictObject({
  alias: line({ description: 'The short name in the workspace, unique. Default: metadata.name.' }).exactOptional(),
  name: line({ description: 'The name that people are shown. Default: metadata.name.' }).exactOptional(),
  uri,
  passwordFrom: passwordFrom.exactOptional(),
  ...commonFields,
});

export type DataSourceSpec = WithDefaults<z.output<typeof schema>, 'alias' | 'name'>;

export const dataSource = defineKind({
  kind: 'DataSource',
  plural: 'datasources',
  singular: 'datasource',
  shortNames: ['rcds'],
  summary: 'A database that people query through the workspace.',
  example: `apiVersion: rolecall.dev/v1alpha1
kind: DataSource
metadata:
  name: billing
spec:
  name: Billing (production)
  uri: postgresql://reporting@db.internal:5432/billing
  passwordFrom:
    env: BILLING_PASSWORD
`,
  schema,
  columns: [{ name: 'Alias', jsonPath: '.spec.alias' }],
  normalise: (spec, name): DataSourceSpec => ({ ...spec, alias: spec.alias ?? name, name: spec.name ?? name }),
  identities: ({ alias }) => [{ label: `alias ${alias}`, parts: [alias], path: ['alias'], foldCase: false }],
});
