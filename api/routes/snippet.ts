import { z } from 'zod';
import { emptyObject } from '../fields.ts';
import {
  listedSnippet,
  listedSnippetVersion,
  newSnippet,
  newSnippetVersion,
  snippetChange,
  snippetId,
  snippetSchema,
  snippetVersionId,
  snippetVersionSchema,
} from '../resources/snippet.ts';
import { defineRoutes } from '../route.ts';

const params = z.strictObject({ snippet: snippetId });
const versionParams = z.strictObject({ snippet: snippetId, snippetVersion: snippetVersionId });
const path = '/api/v2/snippet/:snippet';

export const snippetRoutes = defineRoutes('Snippets', {
  createSnippet: {
    method: 'POST',
    path: '/api/v2/snippet',
    summary: 'Create a snippet with its first version',
    scope: 'write',
    body: { encoding: 'form', schema: newSnippet },
    answer: snippetSchema,
  },
  listSnippets: {
    method: 'GET',
    path: '/api/v2/snippet',
    summary: 'List snippets',
    scope: 'read',
    answer: z.array(listedSnippet),
  },
  getSnippet: {
    method: 'GET',
    path,
    summary: 'Get a snippet',
    scope: 'read',
    params,
    answer: snippetSchema,
  },
  deleteSnippet: {
    method: 'DELETE',
    path,
    summary: 'Delete a snippet with its versions',
    scope: 'write',
    params,
    answer: emptyObject,
  },
  lockSnippet: {
    method: 'PUT',
    path: `${path}/lock`,
    summary: 'Lock a snippet',
    scope: 'write',
    params,
    answer: emptyObject,
  },
  unlockSnippet: {
    method: 'PUT',
    path: `${path}/unlock`,
    summary: 'Unlock a snippet',
    scope: 'write',
    params,
    answer: emptyObject,
  },
  updateSnippet: {
    method: 'POST',
    path,
    summary: 'Change who may use a snippet',
    description: 'Changes the access level and the owner only; the text changes with a new version.',
    scope: 'write',
    params,
    body: { encoding: 'form', schema: snippetChange },
    answer: emptyObject,
  },
  createSnippetVersion: {
    method: 'POST',
    path: `${path}/version`,
    summary: 'Add a version to a snippet',
    description: 'The new version is not in use until it is activated.',
    scope: 'write',
    params,
    body: { encoding: 'form', schema: newSnippetVersion },
    answer: snippetVersionSchema,
  },
  listSnippetVersions: {
    method: 'GET',
    path: `${path}/version`,
    summary: 'List the versions of a snippet',
    scope: 'read',
    params,
    answer: z.array(listedSnippetVersion),
  },
  getSnippetVersion: {
    method: 'GET',
    path: `${path}/version/:snippetVersion`,
    summary: 'Get a version of a snippet',
    scope: 'read',
    params: versionParams,
    answer: snippetVersionSchema,
  },
  activateSnippetVersion: {
    method: 'POST',
    alsoMethod: 'PUT',
    path: `${path}/version/:snippetVersion`,
    summary: 'Make a version the one in use',
    scope: 'write',
    params: versionParams,
    answer: emptyObject,
  },
});
