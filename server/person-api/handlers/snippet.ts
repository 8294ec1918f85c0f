import { randomUUID } from 'node:crypto';
import type { AccessLevel, MySnippet, SnippetVersion } from '@rolecall/api';
import { created, deleted } from '../../audit/change.ts';
import { deleteWithSnippet } from '../../audit/fallout.ts';
import { showSnippet, showVersion } from '../../audit/show.ts';
import { existingSnippet } from '../../handlers/existing.ts';
import { changeSnippet, makeSnippet } from '../../handlers/snippet.ts';
import { readList } from '../../pages.ts';
import { invalidFields, notFound, Refusal } from '../../refusal.ts';
import { personOrNull } from '../../store/references.ts';
import { deleteSnippet, type SnippetRow } from '../../store/snippet.ts';
import { countSnippetsOf, countVersionsOf, findOwnRole, selectReadableSnippets } from '../../store/snippet-level.ts';
import { findSnippetVersion, insertSnippetVersion, snippetVersionPages } from '../../store/snippet-version.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';
import { requireLevel } from '../owned.ts';

/** The most snippets that one list has, that one person may own by their own doing, and the most versions of one. */
const [mostListed, mostOwned, mostVersions] = [1000, 1000, 1000];

export const mySnippetHandlers = {
  listMySnippets: async (_request, { store }, { person }) => {
    const rows = await store.read((executor) => selectReadableSnippets(executor, person.id, mostListed + 1));
    const snippets = rows.slice(0, mostListed).map((row) => ({
      id: row.id,
      name: row.name,
      description: row.description,
      isLocked: row.isLocked === 1,
      publicAccessLevel: row.publicAccessLevel,
      ownerPerson: personOrNull(row),
      ownerRole: row.roleId === null || row.roleName === null ? null : { id: row.roleId, name: row.roleName },
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      level: row.level as MySnippet['level'],
    }));
    return { snippets, isComplete: rows.length <= mostListed };
  },

  createMySnippet: async ({ body }, { store, digest, clock }, { person }) => {
    const { publicAccessLevel, ...content } = body;
    const owner = { ownerPersonId: person.id, ownerRoleId: null };
    const access = { isLocked: false, publicAccessLevel, ...owner, createdAt: clock().toISOString() };
    return store.write(['snippet'], async (executor, record) => {
      if ((await countSnippetsOf(executor, person.id)) >= mostOwned) throw tooMany(`you own ${mostOwned} snippets`);
      const first = { ...content, createdByPersonId: person.id };
      const { id } = await makeSnippet(executor, access, first, { record, digest });
      return requireSnippet(executor, id, person.id);
    });
  },

  getMySnippet: async ({ params }, { store }, { person }) =>
    store.read((executor) => requireSnippet(executor, params.snippet, person.id)),

  changeMySnippet: async ({ params, body }, context, { person }) =>
    change(context, params.snippet, person.id, 'manage', async (executor, row) => {
      const { publicAccessLevel = row.publicAccessLevel, ownerRoleId } = body;
      const access = { ...row, publicAccessLevel };
      if (ownerRoleId === undefined) return access;
      const now = (await executor.now()).toISOString();
      if (ownerRoleId !== null && (await findOwnRole(executor, ownerRoleId, person.id, now)) === undefined) {
        throw invalidFields([{ path: 'ownerRoleId', message: 'must be a role that you have' }]);
      }
      return { ...access, ownerRoleId, ownerPersonId: ownerRoleId === null ? person.id : null };
    }),

  deleteMySnippet: async ({ params }, { store }, { person }) => {
    await store.write(['snippet'], async (executor, record) => {
      const { level: _level, ...snippet } = await requireSnippet(executor, params.snippet, person.id, 'manage');
      const fallen = await deleteWithSnippet(executor, params.snippet);
      await deleteSnippet(executor, params.snippet);
      record([deleted(showSnippet(snippet)), ...fallen]);
    });
    return {};
  },

  listMySnippetVersions: async ({ params }, { store }) => readList(store.read, [snippetVersionPages(params.snippet)]),

  createMySnippetVersion: async ({ params, body }, context, { person }) => {
    const { clock, digest } = context;
    const by = { createdByPersonId: person.id, createdAt: clock().toISOString() };
    const version = { id: randomUUID(), snippetId: params.snippet, ...body, ...by };
    await change(context, params.snippet, person.id, 'read_write', async (executor, row, record) => {
      if ((await countVersionsOf(executor, row.id)) >= mostVersions) {
        throw tooMany(`the snippet has ${mostVersions} versions`);
      }
      await insertSnippetVersion(executor, version);
      record([created(showVersion({ ...version, createdBy: person.id }, digest))]);
      return { ...row, activeVersionId: version.id };
    });
    return context.store.read((executor) => requireVersion(executor, params.snippet, version.id));
  },

  activateMySnippetVersion: async ({ params }, context, { person }) => {
    await change(context, params.snippet, person.id, 'read_write', async (executor, row) => {
      const { id } = await requireVersion(executor, params.snippet, params.snippetVersion);
      return { ...row, activeVersionId: id };
    });
    return {};
  },
} satisfies Partial<PersonHandlers>;

type Work = (
  executor: Executor,
  row: SnippetRow,
  record: Parameters<Parameters<PersonContext['store']['write']>[1]>[1],
) => Promise<SnippetRow>;

/** Changes a snippet, whose level the person has at that moment too, and records how it was before and is then. */
async function change(
  { store, clock }: PersonContext,
  id: string,
  person: string,
  level: AccessLevel,
  work: Work,
): Promise<MySnippet> {
  return store.write(['snippet'], async (executor, record) => {
    await requireLevel(executor, { id, person, level });
    const after = await changeSnippet(executor, id, { record, clock }, (row) => work(executor, row, record));
    // A person who gives a snippet away may lose their own level on it; the answer shows them what they have done.
    return { ...after, level: 'manage' };
  });
}

async function requireSnippet(
  executor: Executor,
  id: string,
  person: string,
  level: AccessLevel = 'read_only',
): Promise<MySnippet> {
  const myLevel = await requireLevel(executor, { id, person, level });
  const snippet = await existingSnippet(executor, id);
  return { ...snippet, level: myLevel };
}

async function requireVersion(executor: Executor, snippet: string, id: string): Promise<SnippetVersion> {
  const version = await findSnippetVersion(executor, snippet, id);
  if (version === undefined) throw notFound(`version of the snippet ${snippet} with the id`, id);
  return version;
}

function tooMany(detail: string): Refusal {
  return new Refusal('limit_reached', detail);
}
