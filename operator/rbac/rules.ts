/**
 * The rights of the operator in a cluster, and no more: the manifests and the chart are made of these lists, and a test runs
 * the operator under them and finds each verb used and none missing.
 */

import { group, kindNames, kinds } from '@rolecall/crds';

/** A rule of a Role or ClusterRole (rbac.authorization.k8s.io/v1). */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The name of the Lease by which one of several operators leads. */
export const leaseName = 'rolecall-operator';

const plurals = kindNames.map((name) => kinds[name].plural);

/** In every namespace that is followed: the kinds themselves, and telling what became of them. */
export const objectRules: readonly PolicyRule[] = [
  // `patch` writes finalizers. Nothing makes or deletes an object, or changes its spec.
  { apiGroups: [group], resources: plurals, verbs: ['list', 'watch', 'patch'] },
  { apiGroups: [group], resources: plurals.map((plural) => `${plural}/status`), verbs: ['patch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
];

/** In the namespaces that let the operator read what their objects refer to. Each is read by its name only. */
export const dataRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['list', 'watch'] },
];

/** In the namespace of the Lease: the operator's own, or the only one that it follows. */
export const leaseRules: readonly PolicyRule[] = [
  // What is created has no name yet by which it could be told apart.
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [leaseName],
    verbs: ['get', 'update', 'watch'],
  },
];

/** For people: who may look at the kinds, and who may change them. Neither is part of what the operator may do. */
export const viewerRules: readonly PolicyRule[] = [
  { apiGroups: [group], resources: plurals, verbs: ['get', 'list', 'watch'] },
];

export const editorRules: readonly PolicyRule[] = [
  {
    apiGroups: [group],
    resources: plurals,
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  },
];
