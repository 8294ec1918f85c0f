import { type Client, ClockSkew } from '@rolecall/api';
import { Workspace } from '../../../provider/workspace/workspace.ts';

/** The workspace of one command. @param client undefined where the provider's configuration is not known yet */
export function openWorkspace(client: Client | undefined, url = ''): Workspace {
  const rails = { maxRemovalPercent: 25, minimumRemoval: 10 };
  const clock = new ClockSkew();
  return new Workspace({ client, url, clock, rails, adopts: true, manager: 'terraform/default', isNamed: false });
}
