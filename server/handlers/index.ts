import { auditHandlers } from './audit.ts';
import { dataSourceHandlers } from './data-source.ts';
import { declarationHandlers } from './declaration.ts';
import { editorHandlers } from './editor.ts';
import { gatewaySessionHandlers } from './gateway-session.ts';
import type { Handlers } from './handler.ts';
import { invitationHandlers } from './invitation.ts';
import { leaseHandlers } from './lease.ts';
import { managerHandlers } from './manager.ts';
import { membershipHandlers } from './membership.ts';
import { permissionHandlers } from './permission.ts';
import { personHandlers } from './person.ts';
import { queryHandlers } from './query.ts';
import { roleHandlers } from './role.ts';
import { sessionHandlers } from './session.ts';
import { snapshotHandlers } from './snapshot.ts';
import { snippetHandlers } from './snippet.ts';
import { snippetVersionHandlers } from './snippet-version.ts';
import { tokenHandlers } from './token.ts';

/** Handlers of the operations in the route table. */
export const handlers: Handlers = {
  ...dataSourceHandlers,
  ...personHandlers,
  ...invitationHandlers,
  ...sessionHandlers,
  ...gatewaySessionHandlers,
  ...roleHandlers,
  ...membershipHandlers,
  ...managerHandlers,
  ...declarationHandlers,
  ...leaseHandlers,
  ...snapshotHandlers,
  ...permissionHandlers,
  ...snippetHandlers,
  ...snippetVersionHandlers,
  ...editorHandlers,
  ...queryHandlers,
  ...tokenHandlers,
  ...auditHandlers,
};
