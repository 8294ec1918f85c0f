import { z } from 'zod';
import { text } from '../fields.ts';

/** As in `Person/ada`: the kind of a definition, and its name. */
const kindAndName = '[A-Z][A-Za-z]{1,30}/[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?';

/**
 * The header that names the definition of what a client writes: `Person/ada`, or `Person/ada; keep` where the object stays when
 * its definition goes.
 */
export const definitionHeader = 'rolecall-definition';
export const definitionPattern = new RegExp(`^(${kindAndName})(; keep)?$`);

/** The types of objects that a definition stands for, as the audit trail and `listManaged` name them. */
export const declarableKinds = [
  'data_source',
  'permission',
  'person',
  'role',
  'role_data_source',
  'role_person',
  'snippet',
] as const;
export type DeclarableKind = (typeof declarableKinds)[number];

/** The most definitions that one request may record, and the most that it may forget. */
export const mostDeclarations = 5000;

/** The longest text about where a set of definitions came from, in characters. */
export const longestOrigin = 4000;

const kind = z.enum(declarableKinds).meta({ description: 'the type of the object', examples: ['person'] });

const id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}(?:\/[A-Za-z0-9_-]{1,64})?$/, 'must be an identifier, or those of role and member')
  .meta({
    description: "the object's identifier; for a membership, those of role and member with a slash between",
    examples: ['p4Xm8nWcR2vB'],
  });

const definition = z
  .string()
  .regex(new RegExp(`^${kindAndName}$`), 'must be a kind and a name with a slash between, such as Person/ada')
  .meta({ description: 'kind and name of the definition', examples: ['Person/ada'] });

const isKept = z
  .boolean()
  .meta({ description: 'whether the object stays when the definition goes', examples: [false] });

export const recordedDeclarations = z.strictObject({
  origin: text({ min: 1, max: longestOrigin }, 'git@git.internal:platform/access.git')
    .optional()
    .describe('where the definitions came from; opaque to the service, and left as it was where it is absent'),
  declared: z.array(z.strictObject({ kind, id, definition, isKept })).max(mostDeclarations).optional().meta({
    description: 'what the definitions stand for; an object that is not there is passed over',
    maxItems: mostDeclarations,
  }),
  forgotten: z
    .array(z.strictObject({ kind, id, definition }))
    .max(mostDeclarations)
    .optional()
    .meta({ description: 'what they no longer stand for', maxItems: mostDeclarations }),
});

const counted = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [2] });

export const recordedCounts = z.object({
  declared: counted('how many were not recorded like this already'),
  forgotten: counted('how many were recorded until now'),
});

/** Definitions of one manager, as a snapshot has them. */
export const declarationsSchema = z
  .object({
    origin: z
      .string()
      .nullable()
      .meta({
        description: 'where they came from, as the manager recorded it',
        examples: ['git@git.internal:platform/access.git'],
      }),
    definitions: z.array(
      z.object({
        kind,
        id,
        definition,
        isKept,
        isShared: z
          .boolean()
          .meta({ description: 'whether another manager has a definition of the same object', examples: [false] }),
      }),
    ),
  })
  .meta({ id: 'Declarations', description: 'The objects that the definitions of one manager stand for.' });

export type RecordedDeclarations = z.output<typeof recordedDeclarations>;
export type Declarations = z.output<typeof declarationsSchema>;
