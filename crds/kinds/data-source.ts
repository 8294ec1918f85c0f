import {
  ConnectionUriError,
  connectionUriPattern,
  type DataSourceType,
  dataSourceTypes,
  defaultPorts,
  parseConnectionUri,
} from '@rolecall/api';
import { z } from 'zod';
import { commonFields, filePath, kubernetesKey, kubernetesName, variableName } from '../fields/common.ts';
import { exactlyOne } from '../fields/exactly-one.ts';
import { type Fault, line, name } from '../fields/fields.ts';
import { connectionUriPatternOfGo } from '../fields/uri-pattern.ts';
import { defineKind, type WithDefaults } from './kind.ts';

const uriDescription =
  'The connection URI, without a password: postgresql://, mysql:// or mariadb://user@host:port/database, or sqlite:///path. A host of another script is the same as its ASCII form (xn--…), which is stored.';

const uri = line(
  { description: uriDescription, max: 4096, emptyRemedy: `Write it as in ${exampleUri('postgresql')}.` },
  uriFault,
).meta({
  description: uriDescription,
  minLength: 1,
  maxLength: 4096,
  pattern: connectionUriPattern.source,
  examples: ['postgresql://reporting@db.internal:5432/billing?sslmode=verify-full'],
});

/** Checks a URI. The fault never repeats it, since it may contain a password. */
function uriFault(text: string): Fault | undefined {
  try {
    if (parseConnectionUri(text).password === undefined) return undefined;
  } catch (error) {
    if (!(error instanceof ConnectionUriError)) throw error;
    // The message says what is wrong and, after a semicolon, what to do; the second part may be missing.
    const [message = '', ...hints] = error.message.split('; ');
    const hint = hints.length === 0 ? '' : `${sentence(hints.join('; '))} `;
    const type = dataSourceTypes.find((scheme) => text.toLowerCase().startsWith(`${scheme}:`)) ?? 'postgresql';
    return { message, remedy: `${hint}Write the URI as in ${exampleUri(type)}.` };
  }
  return {
    code: 'password_in_uri',
    message: 'must not contain a password',
    remedy: 'Remove the password from the URI and use passwordFrom with a secretKeyRef, an env or a file.',
  };
}

function exampleUri(type: DataSourceType): string {
  return type === 'sqlite' ? 'sqlite:///data/reports.db' : `${type}://user@host:${defaultPorts[type] ?? 0}/database`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const passwordFrom = exactlyOne(
  z.strictObject({
    secretKeyRef: z
      .strictObject({
        name: kubernetesName('Secret'),
        key: kubernetesKey(
          'The key inside the Secret; in a cluster, a line break at the end of the password is dropped.',
        ),
      })
      .describe('A key of a Kubernetes Secret.')
      .exactOptional(),
    env: variableName('The environment variable with the password.').exactOptional(),
    file: filePath('The file with the password; a line break at its end is dropped.').exactOptional(),
  }),
  ['secretKeyRef', 'env', 'file'],
  'env: BILLING_PASSWORD',
).describe('Where the password of the connection URI comes from.');

const schema = z.strictObject({
  alias: name({ description: 'The unique short name in the workspace. Default: metadata.name.' }).exactOptional(),
  name: name({ description: 'The name that people see. Default: metadata.name.' }).exactOptional(),
  uri,
  passwordFrom: passwordFrom.exactOptional(),
  ...commonFields,
});

export type DataSourceSpec = WithDefaults<z.output<typeof schema>, 'alias' | 'name'>;

export const dataSource = defineKind({
  kind: 'DataSource',
  plural: 'datasources',
  shortNames: ['rcds'],
  summary: 'A database that people query through the workspace.',
  example: `apiVersion: rolecall.dev/v1alpha1
kind: DataSource
metadata:
  name: billing
spec:
  name: Billing (production)
  uri: postgresql://reporting@db.internal:5432/billing?sslmode=verify-full
  passwordFrom:
    env: BILLING_PASSWORD
`,
  schema,
  columns: [{ name: 'Alias', jsonPath: '.status.alias' }],
  keyField: 'alias',
  selectable: ['alias'],
  validations: [
    {
      // Not a rule of the field itself, since its refusals would repeat the value.
      rule: String.raw`!self.uri.matches('^[A-Za-z]+://[^/?#]*:[^/?#]*@') && !self.uri.matches('(?i)[?&](ssl)?pass(word)?=')`,
      message: 'uri must not contain a password: remove it and use passwordFrom',
      fieldPath: '.uri',
    },
    {
      rule: `self.uri.matches(r'${connectionUriPatternOfGo()}')`,
      message:
        'uri must be as in postgresql://user@host:5432/database or sqlite:///path, with the parameters that its type has',
      fieldPath: '.uri',
    },
  ],
  normalise: (spec, name): DataSourceSpec => ({ ...spec, alias: spec.alias ?? name, name: spec.name ?? name }),
  identities: ({ alias }) => [{ label: `alias ${alias}`, parts: [alias], path: ['alias'], foldCase: false }],
});
