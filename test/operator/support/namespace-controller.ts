import { type AdminClient, ask, type KubeObject } from '../../support/kubernetes/admin-client.ts';

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface Left {
  readonly items: readonly KubeObject[];
}

/**
 * Does what the namespace controller of kube-controller-manager does (pkg/controller/namespace/deletion), which a bare API
 * server lacks: empties a namespace that is being deleted, one collection after the other, until nothing is left, and
 * finalizes it.
 */
export interface NamespaceController {
  /** The collections of the namespace that can be deleted: `/api/v1/namespaces/team/secrets`. */
  readonly collections: readonly string[];
  /** Goes over them once, in this order. @returns whether the namespace is gone */
  readonly sweep: (order?: readonly string[]) => Promise<boolean>;
}

export async function deleteNamespace(kube: AdminClient, name: string): Promise<NamespaceController> {
  await ask(kube, 'DELETE', `/api/v1/namespaces/${name}`);
  const { groups } = await ask<{ groups: { preferredVersion: { groupVersion: string } }[] } & KubeObject>(
    kube,
    'GET',
    '/apis',
  );
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const collections: string[] = [];
  for (const root of roots) {
    const { resources } = await ask<ResourceList & KubeObject>(kube, 'GET', root);
    for (const { name: plural, namespaced, verbs } of resources) {
      const isDeletable = namespaced && verbs.includes('deletecollection') && verbs.includes('list');
      if (isDeletable) collections.push(`${root}/namespaces/${name}/${plural}`);
    }
  }
  return {
    collections,
    async sweep(order = collections) {
      for (const collection of order) await ask(kube, 'DELETE', collection);
      const lists = await Promise.all(collections.map((collection) => ask<Left & KubeObject>(kube, 'GET', collection)));
      if (lists.some(({ items }) => items.length > 0)) return false;
      const namespace = await ask(kube, 'GET', `/api/v1/namespaces/${name}`);
      await ask(kube, 'PUT', `/api/v1/namespaces/${name}/finalize`, { ...namespace, spec: { finalizers: [] } });
      return (await kube.call('GET', `/api/v1/namespaces/${name}`)).status === 404;
    },
  };
}
