/** Fields that several kinds share. */

import { z } from 'zod';
import { complain } from '../issue.ts';
import { grouped, line, pattern } from './fields.ts';
import { dnsNamePattern } from './metadata.ts';

/** The fields of every kind but Workspace. */
export const commonFields = {
  workspaceRef: pattern({
    description:
      'The metadata.name of the Workspace that this object belongs to. Default: the only declared Workspace.',
    max: 253,
    pattern: dnsNamePattern,
    message: 'is not the name of a Workspace',
    remedy: 'Write the metadata.name of a Workspace: lower-case letters, digits, dashes and dots.',
  }).exactOptional(),
  deletionPolicy: z
    .enum(['Delete', 'Orphan'])
    .describe('What happens in the workspace when this object is deleted: Delete removes it, Orphan leaves it.')
    .default('Delete'),
  managementPolicy: z
    .enum(['Full', 'Observe'])
    .describe('Full makes the workspace match; Observe shows what would change and writes nothing.')
    .default('Full'),
};

/** A reference to a Person, Role or DataSource. `key` names the field with its name in the workspace. */
export function reference(kind: string, key: string, role: string) {
  return line({
    description: `${role}: the metadata.name of a ${kind}, or, if no such ${kind} is declared, its ${key} in the workspace.`,
  });
}

/** Why something is given and who answers for it: kept in Git, since the workspace has no fields for them. */
export const noteFields = {
  reason: line({
    description: 'Why it is given, for reviewers: plans and reports show it. The service does not store it.',
    max: 1000,
  }).exactOptional(),
  owner: line({
    description:
      'Who answers for it, such as a team or an address: reports show it. The service does not store it, and it gives no access.',
  }).exactOptional(),
};

/** A list of at most `max` different items; an API server has a limit on the size of an object. */
export function uniqueList<Item extends z.ZodType<string>>(item: Item, max: number, description: string) {
  return z
    .array(item)
    .superRefine(
      (items, context) => {
        if (items.length > max) complain(context, excess(items.length, max));
        const first = new Map<unknown, number>();
        for (const [index, value] of items.entries()) {
          const firstIndex = first.get(value);
          if (firstIndex === undefined) first.set(value, index);
          else complain(context, repetition(index, firstIndex));
        }
      },
      // Checked even if items are malformed, so that all problems are reported.
      { when: ({ value }) => Array.isArray(value) },
    )
    .meta({ description, maxItems: max, uniqueItems: true });
}

function excess(length: number, max: number) {
  return {
    message: `has ${grouped(length)} items, but may have at most ${grouped(max)}`,
    remedy: `Keep at most ${grouped(max)} of them here.`,
  };
}

function repetition(index: number, firstIndex: number) {
  const remedy = 'Remove one of the two.';
  return { code: 'item_duplicate' as const, path: [index], message: `repeats item [${firstIndex}]`, remedy };
}

/** The name of a Kubernetes Secret or ConfigMap. */
export function kubernetesName(what: string) {
  return pattern({
    description: `The name of the ${what}, in the namespace of the definition.`,
    max: 253,
    pattern: dnsNamePattern,
    message: `is not the name of a ${what}`,
    remedy: 'Write lower-case letters, digits, dashes and dots.',
  });
}

/** A key inside a Kubernetes Secret or ConfigMap. */
export function kubernetesKey(description: string) {
  return pattern({
    description,
    max: 253,
    pattern: /^[-._a-zA-Z0-9]+$/,
    message: 'is not a key of a Secret or ConfigMap',
    remedy: 'Write letters, digits, dashes, underscores and dots.',
  });
}

/** The name of an environment variable. */
export function variableName(description: string) {
  return pattern({
    description,
    pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
    message: 'is not the name of an environment variable',
    remedy: 'Write the name, without $ and without a value: letters, digits and underscores.',
  });
}

/** A path of a file. */
export function filePath(description: string) {
  return line({ description: `${description} Relative to the folder of the definition.`, max: 4096 });
}
