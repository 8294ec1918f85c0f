import { dataRules, leaseRules, objectRules, type PolicyRule } from '../../../operator/rbac/rules.ts';
import { type AdminClient, ask } from '../../support/kubernetes/admin-client.ts';

/** The account that the operator has in a cluster, with the rights of the manifests and no others. */
export interface ServiceAccount {
  readonly token: string;
  /** As RBAC and the audit log call it. */
  readonly username: string;
  /** Lets it read the Secrets and ConfigMaps of a namespace, and lead by a Lease there. */
  readonly admit: (namespace: string) => Promise<void>;
}

const system = 'rolecall-system';
const name = 'rolecall-operator';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
const subjects = [{ kind: 'ServiceAccount', name, namespace: system }];

/** Makes the account, and has the API server issue a real token for it. */
export async function makeServiceAccount(admin: AdminClient): Promise<ServiceAccount> {
  const clusterRole = (called: string, rules: readonly PolicyRule[]) =>
    ask(admin, 'POST', `${rbac}/clusterroles`, { metadata: { name: called }, rules });
  await ask(admin, 'POST', '/api/v1/namespaces', { metadata: { name: system } });
  await ask(admin, 'POST', `/api/v1/namespaces/${system}/serviceaccounts`, { metadata: { name } });
  await clusterRole(name, objectRules);
  await clusterRole(`${name}-data`, dataRules);
  // Tests have Leases in many namespaces, under names of their own; the manifests have one.
  const anyName = leaseRules.map(({ resourceNames: _names, ...rule }) => rule);
  await clusterRole(`${name}-lease`, anyName);
  const bound = { metadata: { name }, roleRef: { ...roleRef, name }, subjects };
  await ask(admin, 'POST', `${rbac}/clusterrolebindings`, bound);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } };
  const { status } = await ask<{ status: { token: string } }>(
    admin,
    'POST',
    `/api/v1/namespaces/${system}/serviceaccounts/${name}/token`,
    request,
  );
  const account: ServiceAccount = {
    token: status.token,
    username: `system:serviceaccount:${system}:${name}`,
    async admit(namespace) {
      for (const part of ['data', 'lease']) {
        const binding = {
          metadata: { name: `${name}-${part}` },
          roleRef: { ...roleRef, name: `${name}-${part}` },
          subjects,
        };
        await ask(admin, 'POST', `${rbac}/namespaces/${namespace}/rolebindings`, binding);
      }
    },
  };
  await account.admit('default');
  return account;
}
