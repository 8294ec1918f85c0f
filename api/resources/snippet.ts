import { z } from 'zod';
import { accessLevels } from '../access-levels.ts';
import { line, named, notBoth, nullableId, shortId, text, timestamp, uuid } from '../fields.ts';
import { longestName, snippetBounds } from '../text-rules.ts';
import { snippetDataSource } from './data-source.ts';
import { personReference } from './person.ts';
import { roleReference } from './role.ts';

export const snippetId = shortId('s9Lm4qBx2WeD').describe('identifier of the snippet');
export const snippetVersionId = uuid('5f0c8a52-3d1e-4c62-9b7a-6a1c7de2f001').describe(
  'identifier of the snippet version',
);
export const ownerTypes = ['none', 'role', 'person'] as const;

const name = line(longestName, 'Top customers').describe('name of the snippet');
const description = text(snippetBounds.description, 'Revenue by customer, this month').describe(
  'what the snippet is for',
);
const queryText = text(snippetBounds.text, 'select customer, sum(amount) from invoice group by customer').describe(
  'query text',
);
const publicAccessLevel = z
  .enum(accessLevels)
  .meta({ description: 'what people who do not own the snippet may do with it', examples: ['read_only'] });
const owner = z.enum(ownerTypes).meta({ description: 'who owns the snippet', examples: ['none'] });

const version = { id: snippetVersionId, name, description, text: queryText };
const ofDataSource = snippetDataSource.nullable().meta({ examples: [null] });

const activeVersion = z.object(version).meta({ id: 'ActiveVersion', description: 'The version that is in use.' });
const listedActiveVersion = z
  .object({ ...version, dataSource: ofDataSource })
  .meta({ id: 'ListedActiveVersion', description: 'The version that is in use, with its data source.' });

const snippetFields = {
  isLocked: z.boolean().meta({ description: 'a locked snippet is available only to its owner', examples: [false] }),
  publicAccessLevel,
  ownerPerson: personReference.nullable().meta({ examples: [null] }),
  ownerRole: roleReference.nullable().meta({ examples: [null] }),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

export const snippetSchema = z
  .object({ id: snippetId, activeVersion, ...snippetFields })
  .meta({ id: 'Snippet', description: 'A saved query text with versions, an owner and an access level.' });

export const listedSnippet = z
  .object({ id: snippetId, activeVersion: listedActiveVersion, ...snippetFields })
  .meta({ id: 'ListedSnippet', description: 'A snippet as the list shows it.' });

const versionFields = {
  ...version,
  snippetId,
  createdAt: timestamp(),
  createdBy: personReference.nullable().meta({ description: 'who created the version', examples: [null] }),
};

export const snippetVersionSchema = z
  .object(versionFields)
  .meta({ id: 'SnippetVersion', description: 'One version of a snippet.' });

export const listedSnippetVersion = z
  .object({ ...versionFields, dataSource: ofDataSource })
  .meta({ id: 'ListedSnippetVersion', description: 'One version of a snippet, as the list shows it.' });

const createdByPersonId = nullableId('p7Kq2mXw4TzA').describe('the person who created it');
const owners = {
  ownerPersonId: nullableId('p7Kq2mXw4TzA').describe('must be set when owner is person'),
  ownerRoleId: nullableId('r5Hj1pZc9VdC').describe('must be set when owner is role'),
};

const unset = { enum: ['', null] };
const set = { type: 'string', minLength: 1 };
/** Fit between an owner's type and identifiers, in JSON Schema; the service's own check names the invalid field. */
const ownersFit = {
  anyOf: [
    { properties: { owner: { const: 'none' }, ownerPersonId: unset, ownerRoleId: unset } },
    { properties: { owner: { const: 'person' }, ownerPersonId: set, ownerRoleId: unset }, required: ['ownerPersonId'] },
    { properties: { owner: { const: 'role' }, ownerPersonId: unset, ownerRoleId: set }, required: ['ownerRoleId'] },
  ],
};
const changesFit = [
  notBoth('ownerPerson', 'ownerPersonId'),
  notBoth('ownerRole', 'ownerRoleId'),
  {
    anyOf: [
      // Whose it is then says what the service has, but it cannot be both.
      {
        not: { properties: { owner: {} }, required: ['owner'] },
        anyOf: [
          { properties: { ownerPersonId: unset, ownerPerson: unset } },
          { properties: { ownerRoleId: unset, ownerRole: unset } },
        ],
      },
      { properties: { owner: { const: 'person' }, ownerRoleId: unset, ownerRole: unset } },
      { properties: { owner: { const: 'role' }, ownerPersonId: unset, ownerPerson: unset } },
      {
        properties: {
          owner: { const: 'none' },
          ownerPersonId: unset,
          ownerPerson: unset,
          ownerRoleId: unset,
          ownerRole: unset,
        },
      },
    ],
  },
];

/** The request to create a snippet. */
export const newSnippet = z
  .strictObject({
    name: named(name),
    description,
    text: queryText,
    createdByPersonId,
    isLocked: z.boolean().meta({ examples: [false] }),
    publicAccessLevel,
    owner,
    ...owners,
  })
  .meta({ allOf: [ownersFit] });

/** The request to change a snippet's access. The specification has two spellings of the owner's identifier; both work. */
export const snippetChange = z
  .strictObject({
    publicAccessLevel: publicAccessLevel.optional(),
    owner: owner.optional(),
    ...owners,
    ownerPerson: nullableId('p7Kq2mXw4TzA').describe('the same as ownerPersonId'),
    ownerRole: nullableId('r5Hj1pZc9VdC').describe('the same as ownerRoleId'),
  })
  .meta({ allOf: changesFit });

/** The request to add a version. */
export const newSnippetVersion = z.strictObject({ name: named(name), description, text: queryText, createdByPersonId });

export type Snippet = z.output<typeof snippetSchema>;
export type ListedSnippet = z.output<typeof listedSnippet>;
export type SnippetVersion = z.output<typeof snippetVersionSchema>;
export type ListedSnippetVersion = z.output<typeof listedSnippetVersion>;
