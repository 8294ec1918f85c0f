import { type AdminClient, ask } from '../../support/kubernetes/admin-client.ts';
import type { Namespace } from './installation.ts';
import type { TestWorkspace } from './workspace.ts';

/**
 * Lets the Workspace of a namespace stand for another workspace: its key, and then its address. For a moment the one is asked with
 * the key of the other.
 */
export async function moveTo(kube: AdminClient, space: Namespace, { key, proxy }: TestWorkspace): Promise<void> {
  const secret = `/api/v1/namespaces/${space.name}/secrets/rolecall-key`;
  const stringData = { id: key.id, secret: key.secret };
  await ask(kube, 'PATCH', secret, { stringData }, 'application/merge-patch+json');
  await space.patch('Workspace', 'workspace', { spec: { url: proxy.url } });
}
