/** Selectors by label, in the form that Kubernetes has. */

import { z } from 'zod';
import { complain } from '../issue.ts';
import { grouped, pattern } from './fields.ts';

const mostLabels = 32;

const name = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const keyPattern = new RegExp(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?${name}$`);

const labelValue = pattern({
  description: 'The value of the label.',
  min: 0,
  max: 63,
  pattern: new RegExp(`^(${name})?$`),
  message: 'is not the value of a label',
  remedy:
    'Write at most 63 letters, digits, dashes, underscores and dots, beginning and ending with a letter or digit.',
});

/** A selector of objects that have all of some labels. One that is empty would select everything, and is refused. */
export function labelSelector(description: string) {
  const matchLabels = z
    .record(z.string(), labelValue)
    .superRefine(
      (labels, context) => {
        const keys = Object.keys(labels);
        if (keys.length === 0) {
          const remedy = 'Name a label, as in matchLabels: { tier: gold }.';
          complain(context, { message: 'is empty, and would select everything', remedy });
        }
        if (keys.length > mostLabels) {
          const message = `has ${grouped(keys.length)} labels, but may have at most ${mostLabels}`;
          complain(context, { message, remedy: `Keep at most ${mostLabels} of them.` });
        }
        for (const key of keys.filter((name) => !keyPattern.test(name))) {
          const remedy = 'Write a name of at most 63 letters, digits, dashes, underscores and dots, or prefix/name.';
          complain(context, { path: [key], message: 'is not the key of a label', remedy });
        }
      },
      { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
    )
    .meta({
      description: 'The labels that an object must have, all of them.',
      minProperties: 1,
      maxProperties: mostLabels,
      propertyNames: { pattern: keyPattern.source },
    });
  return z.strictObject({ matchLabels }).describe(description);
}

export type LabelSelector = z.output<ReturnType<typeof labelSelector>>;
