/** Manifests and parts of the chart that are made from the operator's rights and the names of the kinds. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { group, kindNames } from '@rolecall/crds';
import { stringify } from 'yaml';
import {
  dataRules,
  editorRules,
  leaseRules,
  objectRules,
  type PolicyRule,
  viewerRules,
} from '../operator/rbac/rules.ts';

const made = '# Made by `npm run generate`; do not edit.\n';
const root = path.resolve(import.meta.dirname, '..');
const deploy = 'operator/deploy';
const namespace = 'rolecall-system';
const name = 'rolecall-operator';

/** Builds every generated file: its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    [`${deploy}/base/rbac.yaml`, `${made}${documents(clusterRoles())}`],
    ...Object.entries({
      objects: objectRules,
      data: dataRules,
      lease: leaseRules,
      viewer: viewerRules,
      editor: editorRules,
    }).map(([part, rules]) => [`${deploy}/chart/rules/${part}.yaml`, `${made}${yaml(rules)}`] as const),
    [`${deploy}/argocd/argocd-cm.yaml`, argoConfig(readFileSync(path.join(root, deploy, 'argocd/health.lua'), 'utf8'))],
    ['docs/kubernetes/rbac.md', rbacPage()],
  ]);
}

const role = (kind: 'Role' | 'ClusterRole', called: string, rules: readonly PolicyRule[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: called, ...(kind === 'Role' ? { namespace } : {}) },
  rules,
});

const binding = (kind: 'RoleBinding' | 'ClusterRoleBinding', to: 'Role' | 'ClusterRole') => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name, ...(kind === 'RoleBinding' ? { namespace } : {}) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: to, name },
  subjects: [{ kind: 'ServiceAccount', name, namespace }],
});

function clusterRoles(): object[] {
  return [
    role('ClusterRole', name, objectRules),
    binding('ClusterRoleBinding', 'ClusterRole'),
    // Bound in no namespace but those that bind it: ../tenant shows how.
    role('ClusterRole', `${name}-data`, dataRules),
    role('Role', name, leaseRules),
    binding('RoleBinding', 'Role'),
    role('ClusterRole', 'rolecall-viewer', viewerRules),
    role('ClusterRole', 'rolecall-editor', editorRules),
  ];
}

/** Argo CD takes wildcards only in a field that all users share: with a key for each kind, this replaces no other health check. */
function argoConfig(lua: string): string {
  const checks = kindNames.map((kind): [string, string] => [`resource.customizations.health.${group}_${kind}`, lua]);
  const metadata = { name: 'argocd-cm', namespace: 'argocd' };
  return `${made}${yaml({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(checks) })}`;
}

function rbacPage(): string {
  const rows = (where: string, rules: readonly PolicyRule[]) =>
    rules.map(({ apiGroups, resources, resourceNames = [], verbs }) => {
      const groups = apiGroups.map((one) => (one === '' ? 'core' : one)).join(', ');
      const named = resourceNames.length === 0 ? '' : `, named ${resourceNames.map((one) => `\`${one}\``).join(', ')}`;
      return `| ${where} | ${groups} | ${resources.join(', ')}${named} | ${verbs.join(', ')} |`;
    });
  return `<!-- Made by \`npm run generate\` from operator/rbac/rules.ts; do not edit. -->

# What the operator may do in a cluster

| where | API group | resources | verbs |
| --- | --- | --- | --- |
${[
  ...rows('every namespace that it follows', objectRules),
  ...rows('namespaces that bind it', dataRules),
  ...rows("the operator's own namespace, or the only one that it follows", leaseRules),
].join('\n')}

The manifests and the chart come from this list. A test runs every feature of the operator under it, and fails if a request is refused or a
verb is never used.

- The operator does not create, change or delete your objects. It writes finalizers, statuses and events.
- By default it reads Secrets and ConfigMaps in no namespace. A namespace lets the operator read its own by binding the ClusterRole
  \`rolecall-operator-data\` (\`operator/deploy/tenant\`, if the operator is called \`rolecall-operator\` and runs in
  \`rolecall-system\`; Helm names the ClusterRole after the release, and with \`watchNamespace\` it is a Role), or only those that it
  names (\`secrets.named\` of the chart). The operator asks for each by its name, so rules with \`resourceNames\` are enough.
- \`rolecall-viewer\` and \`rolecall-editor\` are for people. Neither is aggregated into \`view\`, \`edit\` or \`admin\`: anyone who may write
  a Permission can give access to a database, and an editor of a namespace should not be able to do that.
`;
}

function documents(objects: readonly object[]): string {
  return objects.map((object) => `---\n${yaml(object)}`).join('');
}

function yaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
