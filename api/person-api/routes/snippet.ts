import { z } from 'zod';
import { emptyObject } from '../../fields.ts';
import { listedSnippetVersion, snippetVersionSchema } from '../../resources/snippet.ts';
import { mySnippet, mySnippetChange, mySnippetList, newMySnippet, newMyVersion } from '../resources/snippet.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

const collection = `${personApiPath}/snippet` as const;
const path = `${collection}/:snippet` as const;

export const mySnippetRoutes = definePersonRoutes('Snippets', {
  listMySnippets: {
    method: 'GET',
    path: collection,
    summary: 'List the snippets that the person may read',
    session: 'whole',
    answer: mySnippetList,
  },
  createMySnippet: {
    method: 'POST',
    path: collection,
    summary: 'Create a snippet, which the person owns',
    session: 'whole',
    body: { encoding: 'json', schema: newMySnippet },
    answer: mySnippet,
    problems: ['limit_reached'],
  },
  getMySnippet: {
    method: 'GET',
    path,
    summary: 'Get a snippet',
    session: 'whole',
    ownObject: 'snippet',
    level: 'read_only',
    answer: mySnippet,
  },
  changeMySnippet: {
    method: 'POST',
    path,
    summary: 'Change who owns a snippet, and what others may do with it',
    session: 'whole',
    ownObject: 'snippet',
    level: 'manage',
    body: { encoding: 'json', schema: mySnippetChange },
    answer: mySnippet,
  },
  deleteMySnippet: {
    method: 'DELETE',
    path,
    summary: 'Delete a snippet with its versions',
    session: 'whole',
    ownObject: 'snippet',
    level: 'manage',
    answer: emptyObject,
  },
  listMySnippetVersions: {
    method: 'GET',
    path: `${path}/version`,
    summary: 'List the versions of a snippet',
    session: 'whole',
    ownObject: 'snippet',
    level: 'read_only',
    answer: z.array(listedSnippetVersion),
  },
  createMySnippetVersion: {
    method: 'POST',
    path: `${path}/version`,
    summary: 'Save a new version of a snippet, which becomes the active one',
    session: 'whole',
    ownObject: 'snippet',
    level: 'read_write',
    body: { encoding: 'json', schema: newMyVersion },
    answer: snippetVersionSchema,
    problems: ['limit_reached'],
  },
  activateMySnippetVersion: {
    method: 'POST',
    path: `${path}/version/:snippetVersion`,
    summary: 'Make a version of a snippet the active one',
    session: 'whole',
    ownObject: 'snippet',
    level: 'read_write',
    answer: emptyObject,
  },
});
