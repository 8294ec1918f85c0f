import { parseConnectionUri } from '@rolecall/api';
import { created } from '../../audit/change.ts';
import { showQuery } from '../../audit/show.ts';
import { existingEditor } from '../../handlers/existing.ts';
import { cancelQuery, readRows, removeQuery, requireQuery, requireResult } from '../../handlers/query-rows.ts';
import { JsonStream } from '../../json-answer.ts';
import { notFound } from '../../refusal.ts';
import { findSealedDataSource } from '../../store/data-source.ts';
import { findEditor } from '../../store/editor.ts';
import { findTab } from '../../store/editor-tab.ts';
import {
  findMyQuery,
  insertCommands,
  searchMyQueries,
  selectCommands,
  selectMyQueries,
} from '../../store/query-command.ts';
import { exportResult } from '../export-result.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';

const defaultLimit = 50;

export const myQueryHandlers = {
  executeInEditor: async ({ params, body }, context, { person }) => {
    const { store, seal, digest, queries, passages, auditStatements } = context;
    const { commands, parameters = {}, tab = null } = body;
    const editor = await store.read((executor) => existingEditor(executor, params.editor));
    const source = editor.dataSource;
    const query = {
      dataSource: source.id,
      commands,
      bindings: parameters,
      asker: `person ${person.id}`,
      owner: { person: person.id, editor: editor.id, tab },
      enter: (id: string, stop: (reason: string) => void) => passages.enter({ id, person: person.id, source }, stop),
    };
    const shownBy = { digest, withText: auditStatements === 'text' };
    return queries.execute(query, ({ id, createdAt, insert }) =>
      store.write([], async (executor, record) => {
        const sealed = await findSealedDataSource(executor, source.id);
        if (sealed === undefined || (await findEditor(executor, editor.id)) === undefined) {
          throw notFound('editor', editor.id);
        }
        if (tab !== null && (await findTab(executor, editor.id, tab)) === undefined) throw notFound('tab', tab);
        await insert(executor, parseConnectionUri(seal.open(sealed.sealedUri, sealed.id)));
        await insertCommands(executor, id, commands);
        record([created(showQuery({ id, dataSource: source.id, createdAt, parameters }, commands, shownBy))]);
        return { queryId: id };
      }),
    );
  },

  listMyQueries: async ({ query }, { store, gate }, { person }) => {
    const { before: older, editor, limit = defaultLimit, search } = query;
    const reached = await gate.reachAll(person.id);
    const allowed = new Set(reached.sources.filter(({ reach }) => reach.allowed).map(({ source }) => source.id));
    const wanted = { person: person.id, editor, older, limit };
    if (search !== undefined) return searchMyQueries(store.read, { ...wanted, search, sources: allowed });
    const queries = await store.read((executor) => selectMyQueries(executor, wanted));
    return queries.map((myQuery) => (allowed.has(myQuery.dataSource.id) ? myQuery : { ...myQuery, beginning: null }));
  },

  getMyQuery: async ({ params }, { store, gate, queries }, { person }) => {
    const myQuery = await store.read((executor) => findMyQuery(executor, params.query, person.id));
    if (myQuery === undefined) throw notFound('query', params.query);
    const { allowed } = await gate.reach(person.id, myQuery.dataSource.id);
    // A query that runs is known before it is in the store.
    const state = await requireQuery(params.query, { queries });
    return { ...myQuery, ...state, beginning: allowed ? myQuery.beginning : null };
  },

  getMyQueryCommands: async ({ params }, { store }) => ({
    commands: await store.read((executor) => selectCommands(executor, params.query)),
  }),

  cancelMyQuery: ({ params }, context) => cancelQuery(params.query, context),

  deleteMyQuery: ({ params }, context) => removeQuery(params.query, context),

  getMyQueryResult: async ({ params }, context) => requireResult(params, context),

  listMyQueryRows: async ({ params, query }, context, { person }) => {
    const answer = await readRows(params, query, context);
    if (answer instanceof JsonStream) await cutAtEnd(answer, { query: params.query, person: person.id }, context);
    return answer;
  },

  exportMyQueryResult: ({ params, query }, context, { person }) =>
    exportResult({ ...params, format: query.format, person: person.id }, context),
} satisfies Partial<PersonHandlers>;

/** A large page takes a while to send: it breaks off when the access ends, so that its reader cannot take it for whole. */
async function cutAtEnd(
  { stream }: JsonStream,
  { query, person }: { query: string; person: string },
  { store, passages }: PersonContext,
): Promise<void> {
  try {
    const myQuery = await store.read((executor) => findMyQuery(executor, query, person));
    if (myQuery === undefined) throw notFound('query', query);
    const leave = await passages.enter({ id: query, person, source: myQuery.dataSource }, (reason) => {
      stream.destroy(new Error(reason));
    });
    stream.once('close', leave);
  } catch (error) {
    stream.destroy();
    throw error;
  }
}
