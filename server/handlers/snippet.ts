import { randomUUID } from 'node:crypto';
import type { Snippet } from '@rolecall/api';
import { changed, created, deleted } from '../audit/change.ts';
import type { RecordChanges } from '../audit/entry.ts';
import { deleteWithSnippet } from '../audit/fallout.ts';
import { showSnippet, showVersion } from '../audit/show.ts';
import { laterThan } from '../clock.ts';
import { newId } from '../ids.ts';
import { invalidFields } from '../refusal.ts';
import { deleteSnippet, insertSnippet, type SnippetRow, snippetPages, updateSnippet } from '../store/snippet.ts';
import { insertSnippetVersion, type NewVersion } from '../store/snippet-version.ts';
import type { Executor, MaybePromise } from '../store/store.ts';
import { existingSnippet, existingSnippetRow } from './existing.ts';
import type { Context, Handlers, Nothing } from './handler.ts';
import { requireOwner, requirePerson } from './owner.ts';

export const snippetHandlers = {
  createSnippet: async ({ body }, { store, digest, clock }) => {
    const { name, description, text, isLocked, publicAccessLevel, createdByPersonId = null } = body;
    const owner = { ownerPersonId: body.ownerPersonId ?? null, ownerRoleId: body.ownerRoleId ?? null };
    const access = { isLocked, publicAccessLevel, ...owner, createdAt: clock().toISOString() };
    return store.create(['snippet'], async (executor, record) => {
      await requireOwner(executor, body.owner, owner);
      await requirePerson(executor, 'createdByPersonId', createdByPersonId);
      return makeSnippet(executor, access, { name, description, text, createdByPersonId }, { record, digest });
    });
  },

  listSnippets: async (_request, { lists }) => lists.list('snippet', snippetPages),

  getSnippet: async ({ params }, { store }) => store.read((executor) => existingSnippet(executor, params.snippet)),

  deleteSnippet: async ({ params }, { store }) => {
    await store.write(['snippet'], async (executor, record) => {
      const snippet = await existingSnippet(executor, params.snippet);
      const fallen = await deleteWithSnippet(executor, params.snippet);
      await deleteSnippet(executor, params.snippet);
      record([deleted(showSnippet(snippet)), ...fallen]);
    });
    return {};
  },

  lockSnippet: ({ params }, context) => setLock(context, params.snippet, true),

  unlockSnippet: ({ params }, context) => setLock(context, params.snippet, false),

  updateSnippet: ({ params, body }, context) =>
    change(context, params.snippet, async (executor, current) => {
      if (Object.keys(body).length === 0) return undefined;
      const type = body.owner ?? ownerType(current);
      const sentPerson = eitherSpelling('ownerPerson', body.ownerPerson, body.ownerPersonId);
      const sentRole = eitherSpelling('ownerRole', body.ownerRole, body.ownerRoleId);
      // A field that was not sent stays, if it belongs to that type of owner.
      const owner = {
        ownerPersonId: sentPerson === undefined && type === 'person' ? current.ownerPersonId : (sentPerson ?? null),
        ownerRoleId: sentRole === undefined && type === 'role' ? current.ownerRoleId : (sentRole ?? null),
      };
      await requireOwner(executor, type, owner);
      const publicAccessLevel = body.publicAccessLevel ?? current.publicAccessLevel;
      return { ...current, publicAccessLevel, ...owner };
    }),
} satisfies Partial<Handlers>;

type Access = Pick<SnippetRow, 'isLocked' | 'publicAccessLevel' | 'ownerPersonId' | 'ownerRoleId' | 'createdAt'>;

/** Makes a snippet with its first version within a write. */
export async function makeSnippet(
  executor: Executor,
  access: Access,
  content: Pick<NewVersion, 'name' | 'description' | 'text' | 'createdByPersonId'>,
  { record, digest }: Pick<Context, 'digest'> & { record: RecordChanges },
): Promise<Snippet> {
  const { createdAt } = access;
  const [id, activeVersionId] = [newId(), randomUUID()];
  const version = { id: activeVersionId, snippetId: id, ...content, createdAt };
  await insertSnippet(executor, { id, activeVersionId, ...access, updatedAt: createdAt });
  await insertSnippetVersion(executor, version);
  const snippet = await existingSnippet(executor, id);
  const shownVersion = showVersion({ ...version, createdBy: content.createdByPersonId }, digest);
  record([created(showSnippet(snippet)), created(shownVersion)]);
  return snippet;
}

const setLock = (context: Context, id: string, isLocked: boolean): Promise<Nothing> =>
  change(context, id, (_executor, current) => (current.isLocked === isLocked ? undefined : { ...current, isLocked }));

async function change(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  id: string,
  work: (executor: Executor, current: SnippetRow) => MaybePromise<SnippetRow | undefined>,
): Promise<Nothing> {
  await store.write(['snippet'], (executor, record) =>
    changeSnippet(executor, id, { record, clock }, (current) => work(executor, current)),
  );
  return {};
}

/**
 * Changes a snippet within a write, and records how it was before and is then.
 *
 * @param work gives its row as it is to be; undefined to leave it as it is
 * @returns the snippet as it is then
 * @throws Refusal not_found
 */
export async function changeSnippet(
  executor: Executor,
  id: string,
  { record, clock }: Pick<Context, 'clock'> & { record: RecordChanges },
  work: (current: SnippetRow) => MaybePromise<SnippetRow | undefined>,
): Promise<Snippet> {
  const row = await existingSnippetRow(executor, id);
  const former = await existingSnippet(executor, id);
  const next = await work(row);
  if (next === undefined) return former;
  await updateSnippet(executor, { ...next, updatedAt: laterThan(row.updatedAt, clock) });
  const after = await existingSnippet(executor, id);
  record(changed(showSnippet(former), showSnippet(after)));
  return after;
}

function ownerType({ ownerPersonId, ownerRoleId }: SnippetRow): 'none' | 'person' | 'role' {
  if (ownerPersonId !== null) return 'person';
  return ownerRoleId === null ? 'none' : 'role';
}

/** The specification names the owner's identifier in two ways (DESIGN: both spellings work). */
function eitherSpelling(
  name: string,
  short: string | null | undefined,
  long: string | null | undefined,
): string | null | undefined {
  if (short !== undefined && long !== undefined && short !== long) {
    throw invalidFields([{ path: name, message: `must be the same as ${name}Id, or be left out` }]);
  }
  return short ?? long;
}
