/** Keeps the ConfigMaps among the documents, from which textFrom.configMapKeyRef takes its text. */

import { type Json, mapping } from '../json.ts';

export interface ConfigMap {
  readonly name: string;
  readonly namespace?: string;
  readonly data: Json;
}

/** Reads a ConfigMap; undefined if it has no name. Kubernetes checks the rest. */
export function toConfigMap(document: Json): ConfigMap | undefined {
  const metadata = mapping(document['metadata']);
  const { name, namespace } = metadata;
  if (typeof name !== 'string') return undefined;
  const data = mapping(document['data']);
  return { name, data, ...(typeof namespace === 'string' ? { namespace } : {}) };
}

/** Finds the ConfigMap that a definition of `namespace` means: one of its namespace first, then any of that name. */
export function findConfigMap(
  maps: readonly ConfigMap[],
  name: string,
  namespace: string | undefined,
): ConfigMap | undefined {
  const named = maps.filter((map) => map.name === name);
  return (
    named.find((map) => map.namespace === namespace) ??
    named.find(({ namespace: other }) => other === undefined || namespace === undefined)
  );
}
