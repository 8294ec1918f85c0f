import type { PersonHandlers } from '../handler.ts';
import { accessHandlers } from './access.ts';
import { administrationHandlers } from './administration.ts';
import { myEditorHandlers } from './editor.ts';
import { eventHandlers } from './event.ts';
import { factorHandlers } from './factor.ts';
import { gatewayHandlers } from './gateway.ts';
import { loginHandlers } from './login.ts';
import { oidcHandlers } from './oidc.ts';
import { proofHandlers } from './proof.ts';
import { myQueryHandlers } from './query.ts';
import { schemaHandlers } from './schema.ts';
import { sessionHandlers } from './session.ts';
import { signInHandlers } from './sign-in.ts';
import { mySnippetHandlers } from './snippet.ts';

/** The handler of each operation of the person's API. */
export const personHandlers: PersonHandlers = {
  ...accessHandlers,
  ...administrationHandlers,
  ...myEditorHandlers,
  ...myQueryHandlers,
  ...factorHandlers,
  ...eventHandlers,
  ...schemaHandlers,
  ...gatewayHandlers,
  ...sessionHandlers,
  ...mySnippetHandlers,
  ...signInHandlers,
  ...proofHandlers,
  ...loginHandlers,
  ...oidcHandlers,
};
