import { parseConnectionUri } from '@rolecall/api';
import { created } from '../audit/change.ts';
import { showQuery } from '../audit/show.ts';
import { existingSealedDataSource } from './existing.ts';
import type { Handlers } from './handler.ts';
import { cancelQuery, readRows, removeQuery, requireQuery, requireResult } from './query-rows.ts';

export const queryHandlers = {
  executeCommands: async ({ params, body }, { queries, store, seal, digest, keyId, auditStatements }) => {
    const { dataSource } = params;
    const shownBy = { digest, withText: auditStatements === 'text' };
    return queries.execute(
      { dataSource, commands: body.commands, asker: `key ${keyId}` },
      ({ id, createdAt, insert }) =>
        store.create([], async (executor, record) => {
          const source = await existingSealedDataSource(executor, dataSource);
          await insert(executor, parseConnectionUri(seal.open(source.sealedUri, source.id)));
          record([created(showQuery({ id, dataSource, createdAt }, body.commands, shownBy))]);
          return { queryId: id };
        }),
    );
  },

  getQuery: async ({ params }, context) => requireQuery(params.query, context),

  cancelQuery: ({ params }, context) => cancelQuery(params.query, context),

  deleteQuery: ({ params }, context) => removeQuery(params.query, context),

  getQueryResult: async ({ params }, context) => requireResult(params, context),

  listQueryRows: async ({ params, query }, context) => readRows(params, query, context),
} satisfies Partial<Handlers>;
