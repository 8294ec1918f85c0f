import { z } from 'zod';
import { accessLevels } from '../../access-levels.ts';
import { nullableId } from '../../fields.ts';
import { newSnippet, newSnippetVersion, snippetSchema } from '../../resources/snippet.ts';

const level = z
  .enum(accessLevels)
  .exclude(['none'])
  .meta({
    description: 'what the person may do with it: an owner, or a member of the role that owns it, may `manage` it',
    examples: ['manage'],
  });

export const mySnippet = snippetSchema
  .extend({ level })
  .meta({ id: 'MySnippet', description: 'A snippet that the person may read.' });

const { name, description } = snippetSchema.shape.activeVersion.shape;

export const listedMySnippet = mySnippet
  .omit({ activeVersion: true })
  .extend({ name, description })
  .meta({ id: 'ListedMySnippet', description: 'A snippet that the person may read, without its text.' });

export const mySnippetList = z
  .object({
    snippets: z.array(listedMySnippet),
    isComplete: z
      .boolean()
      .meta({ description: 'false where there are more snippets than one answer has', examples: [true] }),
  })
  .meta({ id: 'MySnippetList', description: 'The snippets that the person may read, the newest first.' });

export type MySnippet = z.output<typeof mySnippet>;
export type ListedMySnippet = z.output<typeof listedMySnippet>;

/** Body that creates a snippet. Its owner is the person who creates it. */
export const newMySnippet = newSnippet
  .pick({ name: true, description: true, text: true })
  .extend({ publicAccessLevel: newSnippet.shape.publicAccessLevel.default('none') })
  .strict();

/** Body of a new version. It was made by the person who sends it. */
export const newMyVersion = newSnippetVersion.pick({ name: true, description: true, text: true }).strict();

/** Body that changes a snippet: the fields that are sent change, the others stay. */
export const mySnippetChange = z.strictObject({
  publicAccessLevel: newSnippet.shape.publicAccessLevel.optional(),
  ownerRoleId: nullableId('r5Hj1pZc9VdC').describe('a role of the person, which then owns it; null for the person'),
});
