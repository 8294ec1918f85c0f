import { administrationPage } from '@rolecall/api';
import { postMessage, removeMessage } from '../../handlers/editor.ts';
import { requireExisting } from '../../handlers/existing.ts';
import { byAdministrator, endGatewaySession, listGatewaySessions } from '../../handlers/gateway-session.ts';
import { invite, listInvited } from '../../handlers/invitation.ts';
import { cancelQuery } from '../../handlers/query-rows.ts';
import { endSession, listSessions } from '../../handlers/session.ts';
import { readList } from '../../pages.ts';
import {
  type Search,
  searchEditors,
  searchPattern,
  selectGrants,
  selectRunningQueries,
} from '../../store/administration.ts';
import { editorMessagePages } from '../../store/editor-message.ts';
import { isAdministrator } from '../administrator.ts';
import type { PersonHandlers } from '../handler.ts';

/** The most queries that one list has. */
const mostRunning = 1000;

export const administrationHandlers = {
  getAdministrator: async (_request, context, { person }) => ({
    isAdministrator: await isAdministrator(person.id, context),
  }),

  listGrants: async ({ query }, { store }) =>
    store.read(async (executor) => {
      const readAt = (await executor.now()).toISOString();
      const grants = await selectGrants(executor, { ...searchOf(query), now: readAt });
      return { readAt, grants: grants.slice(0, administrationPage), isComplete: grants.length <= administrationPage };
    }),

  listAllSessions: (_request, context) => listSessions(context),
  endAnySession: ({ params }, context) => endSession(params.session, context),

  listRunningQueries: async (_request, { store }) =>
    store.read((executor) => selectRunningQueries(executor, mostRunning)),
  cancelAnyQuery: ({ params }, context, { person }) =>
    cancelQuery(params.query, context, `the administrator ${person.name}`),

  listAllGatewaySessions: ({ query }, context) => listGatewaySessions(query, context),
  endAnyGatewaySession: ({ params }, context) => endGatewaySession(params.gatewaySession, byAdministrator, context),

  listAllEditors: async ({ query }, { store }) => {
    const editors = await store.read((executor) => searchEditors(executor, searchOf(query)));
    return { editors: editors.slice(0, administrationPage), isComplete: editors.length <= administrationPage };
  },

  listMessages: async ({ params }, { store }) => {
    await store.read((executor) => requireExisting(executor, params));
    return readList(store.read, [editorMessagePages(params.editor)]);
  },

  postMessage: ({ params, body }, { store, digest, clock }) =>
    store.write(['editor_message'], (executor, record) =>
      postMessage(executor, { editor: params.editor, ...body }, { record, digest, clock }),
    ),

  deleteMessage: ({ params }, context) => removeMessage(params, context),

  listInvited: (_request, context) => listInvited(context),
  inviteAnyone: ({ params }, context) => invite(params.person, 'link', context),
} satisfies Partial<PersonHandlers>;

/** One line more than a page has tells whether others follow. */
function searchOf({ search = '', offset = 0 }: { search?: string | undefined; offset?: number | undefined }): Search {
  return { pattern: searchPattern(search), offset, limit: administrationPage + 1 };
}
