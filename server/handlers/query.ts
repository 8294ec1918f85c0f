import { parseConnectionUri } from '@rolecall/api';
import { created, deleted } from '../audit/change.ts';
import { showQuery } from '../audit/show.ts';
import { JsonStream } from '../json-answer.ts';
import { notFound, Refusal } from '../refusal.ts';
import { type ResultId, SpoolGoneError } from '../spool/spool.ts';
import { findSealedDataSource } from '../store/data-source.ts';
import { deleteQuery } from '../store/query.ts';
import type { Context, Handlers } from './handler.ts';

const defaultLimit = 1000;

export const queryHandlers = {
  executeCommands: async ({ params, body }, { queries, store, seal, digest, keyId, auditStatements }) => {
    const { dataSource } = params;
    const shownBy = { digest, withText: auditStatements === 'text' };
    return queries.execute({ dataSource, commands: body.commands, key: keyId }, ({ id, createdAt, insert }) =>
      store.create([], async (executor, record) => {
        const source = await findSealedDataSource(executor, dataSource);
        if (source === undefined) throw notFound('data source', dataSource);
        await insert(executor, parseConnectionUri(seal.open(source.sealedUri, source.id)));
        record([created(showQuery({ id, dataSource, createdAt }, body.commands, shownBy))]);
        return { queryId: id };
      }),
    );
  },

  getQuery: async ({ params }, context) => requireQuery(params.query, context),

  cancelQuery: async ({ params }, context) => {
    const { id, completedAt } = await requireQuery(params.query, context);
    await context.queries.cancel(params.query);
    if (completedAt === null) await context.store.note([{ kind: 'query', id, action: 'cancelled' }]);
    return {};
  },

  deleteQuery: async ({ params }, { queries, store }) => {
    await queries.remove(params.query, () =>
      store.write([], async (executor, record) => {
        const dataSource = await deleteQuery(executor, params.query);
        if (dataSource === undefined) throw notFound('query', params.query);
        record([deleted({ kind: 'query', id: params.query, fields: { dataSource } })]);
      }),
    );
    return {};
  },

  getQueryResult: async ({ params }, context) => requireResult(params, context),

  listQueryRows: async ({ params, query }, context) => {
    const result = await requireResult(params, context);
    if (result.type !== 'query') {
      throw new Refusal('not_found', `result ${result.ordinalPosition} is of type ${result.type}: it has no rows`);
    }
    const { seek = 0, limit = defaultLimit } = query;
    const { numRows } = result.detail;
    if (seek >= numRows) return [];
    const rows = { query: params.query, ordinal: result.ordinalPosition };
    try {
      const answer = await context.queries.readRows(rows, { seek, limit, numRows });
      await recordReading(rows, { seek, rows: Math.min(limit, numRows - seek) }, context).catch((error: unknown) => {
        if (answer instanceof JsonStream) answer.stream.destroy();
        throw error;
      });
      return answer;
    } catch (error) {
      // Deleted in between.
      if (error instanceof SpoolGoneError) throw notFound('query', params.query);
      throw error;
    }
  },
} satisfies Partial<Handlers>;

/** Every row that is answered is recorded: fails if the store cannot be written. @throws Refusal not_found */
async function recordReading(
  { query, ordinal }: ResultId,
  page: { seek: number; rows: number },
  { queries, store }: Context,
): Promise<void> {
  const dataSource = await queries.dataSourceOf(query);
  // Deleted in between.
  if (dataSource === undefined) throw notFound('query', query);
  const after = { dataSource, result: ordinal, ...page };
  await store.write([], (_executor, record) => {
    record([{ kind: 'query', id: query, action: 'rows read', after }]);
  });
}

async function requireQuery(id: string, { queries }: Context) {
  const query = await queries.find(id);
  if (query === undefined) throw notFound('query', id);
  return query;
}

async function requireResult({ query, resultIndex }: { query: string; resultIndex: number }, context: Context) {
  const result = await context.queries.findResult(query, resultIndex);
  if (result !== undefined) return result;
  await requireQuery(query, context);
  throw new Refusal('not_found', `the query ${query} has no result ${resultIndex}, or not yet`);
}
