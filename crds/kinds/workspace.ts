import { z } from 'zod';
import { filePath, kubernetesKey, kubernetesName, uniqueList, variableName } from '../fields/common.ts';
import { exactlyOne } from '../fields/exactly-one.ts';
import { type Fault, line, pattern } from '../fields/fields.ts';
import { dnsNamePattern } from '../fields/metadata.ts';
import { defaultRails, type ExactCollection, exactCollections, overridePattern } from '../fields/rails.ts';
import { portPattern } from '../fields/uri-pattern.ts';
import { defineKind } from './kind.ts';

const urlDescription = 'The address of the workspace. Default: the environment variable ROLECALL_URL.';

const url = line({ description: urlDescription, max: 2048 }, urlFault).meta({
  description: urlDescription,
  minLength: 1,
  maxLength: 2048,
  pattern: '^https?://',
  examples: ['https://workspace.example.com'],
});

/** Checks an address. The fault never repeats it, since it may contain a secret. */
function urlFault(text: string): Fault | undefined {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) {
    return { message: 'is not an http or https address', remedy: 'Write it as in https://workspace.example.com.' };
  }
  const { username, password, pathname } = new URL(text);
  if (username !== '' || password !== '') {
    return { message: 'must not contain credentials', remedy: 'Remove them from the address and use credentialsFrom.' };
  }
  if (/\/api\/v2\/*$/.test(pathname)) {
    return { message: 'must not end in /api/v2', remedy: 'Remove /api/v2: Rolecall adds it to every path.' };
  }
  if (!/[?#]/.test(text)) return undefined;
  return { message: 'must not contain ? or #', remedy: 'Write the address only, as in https://workspace.example.com.' };
}

const credentialsFrom = exactlyOne(
  z.strictObject({
    secretKeyRef: z
      .strictObject({
        name: kubernetesName('Secret'),
        keyId: kubernetesKey("The key inside the Secret that holds the API key's id.").default('id'),
        keySecret: kubernetesKey("The key inside the Secret that holds the API key's secret.").default('secret'),
      })
      .describe('A Kubernetes Secret.')
      .exactOptional(),
    env: z
      .strictObject({
        keyId: variableName("The environment variable that holds the API key's id."),
        keySecret: variableName("The environment variable that holds the API key's secret."),
      })
      .describe('Two environment variables.')
      .exactOptional(),
    file: filePath('A JSON file with id and secret, as `rolecall keys create` writes it.').exactOptional(),
  }),
  ['secretKeyRef', 'env', 'file'],
  'file: key.json',
).describe(
  "Where the API key comes from. Default: the environment variables ROLECALL_KEY_ID and ROLECALL_KEY_SECRET, or the token of a pipeline. In a cluster: the operator's own identity, where it is allowed.",
);

const schema = z.strictObject({
  set: pattern({
    description:
      'The name of this set of definitions: by it the service remembers what the command line made for them, and removes what they do not declare any more. Two repositories or folders that declare things in one workspace need two names. Default: metadata.name. Has no effect in a cluster.',
    max: 90,
    pattern: dnsNamePattern,
    message: 'is not the name of a set',
    remedy: 'Use lower-case letters, digits, dashes and dots, as in platform-access.',
  }).exactOptional(),
  url: url.exactOptional(),
  credentialsFrom: credentialsFrom.exactOptional(),
  caFile: filePath("A PEM file with the certificate authorities of the workspace's certificate.").exactOptional(),
  exact: uniqueList(
    z.enum(exactCollections).describe('A collection.'),
    exactCollections.length,
    'The collections from which Rolecall removes what is not declared. `roles` includes `memberships`. Default: none.',
  ).exactOptional(),
  rails: z
    .strictObject({
      maxRemovalPercent: z
        .int()
        .min(0)
        .max(100)
        .describe(
          'The largest share, in percent, that one run may take away without an explicit override: of the pairs of a person and a data source that the person reaches, in the workspace and of each data source, of the memberships of people, in the workspace and of each role, and of each collection.',
        )
        .default(defaultRails.maxRemovalPercent),
      minimumRemoval: z
        .int()
        .min(1)
        .max(2_147_483_647)
        .describe('A run that takes away fewer than this is never refused for their share.')
        .default(defaultRails.minimumRemoval),
      allowFirstRemoval: z
        .boolean()
        .describe(
          'Whether a run may remove objects that it did not make from a collection or role that was not exact before. Default: refused until you name them.',
        )
        .exactOptional(),
    })
    .describe('What one run may do without an explicit override.')
    .prefault({}),
  overrides: uniqueList(
    pattern({
      description: 'The token of a refusal, the last day on which it is overridden (UTC), and why.',
      max: 500,
      pattern: overridePattern,
      message: 'is not an override',
      remedy: 'Write it as in removal-share:access/billing until 2026-12-01 because it moves to finance.',
    }),
    50,
    'Refusals that are overridden, each for the seven days that end with its own. Write one into the change that needs it. It ends by itself.',
  ).exactOptional(),
});

export type WorkspaceSpec = z.output<typeof schema>;

/** An exact role has exactly its declared members, so removing the definition of a membership removes the membership. */
function withMemberships(exact: readonly ExactCollection[]): ExactCollection[] {
  return exact.includes('roles') ? [...new Set([...exact, 'memberships' as const])] : [...exact];
}

/** A host of an address, without what the URL parser refuses in one. */
const hostOfGo = String.raw`\[[0-9A-Fa-f:.]+\]|[^\s\p{Z}/?#@:<>\[\]\\^|]+`;

export const workspace = defineKind({
  kind: 'Workspace',
  plural: 'workspaces',
  shortNames: ['rcws'],
  summary: 'A query workspace: how to reach it, and how strictly it must match what is declared.',
  example: `apiVersion: rolecall.dev/v1alpha1
kind: Workspace
metadata:
  name: production
spec:
  url: https://workspace.example.com
  credentialsFrom:
    secretKeyRef:
      name: rolecall-key
  exact: [roles, permissions]
`,
  schema,
  columns: [
    { name: 'URL', jsonPath: '.spec.url' },
    { name: 'Undeclared', jsonPath: '.status.undeclared' },
  ],
  validations: [
    {
      // Not a rule of the field itself, since its refusals would repeat the value.
      rule: String.raw`!has(self.url) || self.url.matches(r'^https?://(${hostOfGo})(:0*(${portPattern})?)?([/\\][^?#]*)?$') && !self.url.matches('/api/v2/*$')`,
      message:
        'url must be an address without credentials, ? and #, and not end in /api/v2, as in https://workspace.example.com',
      fieldPath: '.url',
    },
  ],
  normalise: ({ exact, ...spec }): WorkspaceSpec =>
    exact === undefined ? spec : { ...spec, exact: withMemberships(exact) },
  identities: () => [],
});
