import { parseConnectionUri } from '@rolecall/api';
import { spoolFiles } from '../queries/spool.ts';
import { readRows } from '../queries/spool-reader.ts';
import { notFound, Refusal } from '../refusal.ts';
import { findSealedDataSource } from '../store/data-source.ts';
import type { Context, Handlers } from './handler.ts';

const defaultLimit = 1000;

export const queryHandlers = {
  executeCommands: async ({ params, body }, { queries, seal }) => {
    const id = params.dataSource;
    const queryId = await queries.execute(
      id,
      async (executor) => {
        const source = await findSealedDataSource(executor, id);
        if (source === undefined) throw notFound('data source', id);
        return parseConnectionUri(seal.open(source.sealedUri, source.id));
      },
      body.commands,
    );
    return { queryId };
  },

  getQuery: async ({ params }, context) => requireQuery(params.query, context),

  cancelQuery: async ({ params }, context) => {
    await requireQuery(params.query, context);
    await context.queries.cancel(params.query);
    return {};
  },

  deleteQuery: async ({ params }, { queries }) => {
    if (!(await queries.remove(params.query))) throw notFound('query', params.query);
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
    const files = spoolFiles(context.queries.spool, params.query, result.ordinalPosition);
    try {
      return await readRows(files, { seek, limit, numRows });
    } catch (error) {
      // Deleted in between.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw notFound('query', params.query);
      throw error;
    }
  },
} satisfies Partial<Handlers>;

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
