import { randomUUID } from 'node:crypto';
import { changed, created, deleted } from '../audit/change.ts';
import { deleteWithSnippet } from '../audit/fallout.ts';
import { showSnippet, showVersion } from '../audit/show.ts';
import { laterThan } from '../clock.ts';
import { newId } from '../ids.ts';
import { invalidFields, notFound } from '../refusal.ts';
import {
  deleteSnippet,
  findSnippet,
  findSnippetRow,
  insertSnippet,
  type SnippetRow,
  snippetPages,
  updateSnippet,
} from '../store/snippet.ts';
import { insertSnippetVersion } from '../store/snippet-version.ts';
import type { Executor } from '../store/store.ts';
import type { Context, Handlers, Nothing, RequestStore } from './handler.ts';
import { requireOwner, requirePerson } from './owner.ts';

export const snippetHandlers = {
  createSnippet: async ({ body }, { store, digest, clock }) => {
    const { name, description, text, isLocked, publicAccessLevel, createdByPersonId = null } = body;
    const owner = { ownerPersonId: body.ownerPersonId ?? null, ownerRoleId: body.ownerRoleId ?? null };
    const now = clock().toISOString();
    const id = newId();
    const version = { id: randomUUID(), snippetId: id, name, description, text, createdByPersonId, createdAt: now };
    return store.create(['snippet'], async (executor, record) => {
      await requireOwner(executor, body.owner, owner);
      await requirePerson(executor, 'createdByPersonId', createdByPersonId);
      const access = { isLocked, publicAccessLevel, ...owner };
      await insertSnippet(executor, { id, activeVersionId: version.id, ...access, createdAt: now, updatedAt: now });
      await insertSnippetVersion(executor, version);
      const snippet = await findSnippet(executor, id);
      if (snippet === undefined) throw new Error('the snippet that was just made is not there');
      record([
        created(showSnippet(snippet)),
        created(showVersion({ ...version, createdBy: createdByPersonId }, digest)),
      ]);
      return snippet;
    });
  },

  listSnippets: async (_request, { lists }) => lists.list('snippet', snippetPages),

  getSnippet: async ({ params }, { store }) => {
    const snippet = await store.read((executor) => findSnippet(executor, params.snippet));
    if (snippet === undefined) throw notFound('snippet', params.snippet);
    return snippet;
  },

  deleteSnippet: async ({ params }, { store }) => {
    await store.write(['snippet'], async (executor, record) => {
      const snippet = await findSnippet(executor, params.snippet);
      if (snippet === undefined) throw notFound('snippet', params.snippet);
      const fallen = await deleteWithSnippet(executor, params.snippet);
      await deleteSnippet(executor, params.snippet);
      record([deleted(showSnippet(snippet)), ...fallen]);
    });
    return {};
  },

  lockSnippet: async ({ params }, context) => setLock(context, params.snippet, true),

  unlockSnippet: async ({ params }, context) => setLock(context, params.snippet, false),

  updateSnippet: async ({ params, body }, { store, clock }) => {
    await change(store, params.snippet, async (executor, current) => {
      if (Object.keys(body).length === 0) return;
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
      const updatedAt = laterThan(current.updatedAt, clock);
      await updateSnippet(executor, { ...current, publicAccessLevel, ...owner, updatedAt });
    });
    return {};
  },
} satisfies Partial<Handlers>;

async function setLock({ store, clock }: Context, id: string, isLocked: boolean): Promise<Nothing> {
  await change(store, id, async (executor, current) => {
    if (current.isLocked === isLocked) return;
    await updateSnippet(executor, { ...current, isLocked, updatedAt: laterThan(current.updatedAt, clock) });
  });
  return {};
}

/** Changes a snippet, and records how it was before and is then. @throws Refusal not_found */
async function change(
  store: RequestStore,
  id: string,
  work: (executor: Executor, current: SnippetRow) => Promise<void>,
): Promise<void> {
  await store.write(['snippet'], async (executor, record) => {
    const row = await findSnippetRow(executor, id);
    const before = await findSnippet(executor, id);
    if (row === undefined || before === undefined) throw notFound('snippet', id);
    await work(executor, row);
    const after = await findSnippet(executor, id);
    if (after !== undefined) record(changed(showSnippet(before), showSnippet(after)));
  });
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
