import { randomUUID } from 'node:crypto';
import { type AdminClient, ask } from '../../support/kubernetes/admin-client.ts';
import type { Namespace } from './installation.ts';
import type { TestWorkspace } from './workspace.ts';

/**
 * Lets the Workspace of a namespace stand for another workspace. Its key is changed with it: the address alone would be asked with
 * a key that it does not know.
 */
export async function moveTo(kube: AdminClient, space: Namespace, { key, proxy }: TestWorkspace): Promise<void> {
  const name = `key-${randomUUID()}`;
  const stringData = { id: key.id, secret: key.secret };
  await ask(kube, 'POST', `/api/v1/namespaces/${space.name}/secrets`, { metadata: { name }, stringData });
  const spec = { url: proxy.url, credentialsFrom: { secretKeyRef: { name } } };
  await space.patch('Workspace', 'workspace', { spec });
}
