/** The custom resources as the operator keeps them: only what it uses, so that ten thousand take little memory. */

import {
  type ExactCollection,
  group,
  type KindName,
  kindNames,
  kinds,
  type textAnnotations,
  version,
} from '@rolecall/crds';
import type { KubeObject, ObjectMeta } from '../runtime/reflector.ts';

/** metav1.Condition. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** The status that the operator writes; crds/schema/status.ts has its schema. */
export interface Status {
  readonly observedGeneration?: number;
  readonly lastHandledReconcileAt?: string;
  readonly id?: string;
  /** The store that the id of a permission is of, or the address of a workspace that tells none. */
  readonly workspace?: string;
  /** The creation time of the permission with that id. */
  readonly createdAt?: string;
  /** Its name in the workspace. */
  readonly alias?: string;
  readonly username?: string;
  readonly name?: string;
  /** Of a Workspace: how much it has that no object declares, by collection. */
  readonly undeclared?: Readonly<Partial<Record<ExactCollection, number>>>;
  readonly conditions?: readonly Condition[];
  readonly state?: 'Pending' | 'Active' | 'Expired';
  readonly startsAt?: string;
  readonly expiresAt?: string;
}

export interface CustomObject extends KubeObject {
  readonly kind: KindName;
  readonly metadata: ObjectMeta & {
    readonly namespace: string;
    readonly generation: number;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    /** Of a DataSource only: roles select by them. */
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: unknown;
  readonly status: Status;
}

/** Keeps a deleted object until what it declared is removed from the workspace. */
export const finalizer = `${group}/workspace`;

/** The path of a kind's objects: of all, of those of a namespace, or of one. */
export function kindPath(kind: KindName, namespace?: string, name?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/apis/${group}/${version}${scope}/${kinds[kind].plural}${name === undefined ? '' : `/${name}`}`;
}

/** Makes a projection that keeps only the fields that the operator uses. Lists leave `kind` out, so it is added here. */
export function projectionOf(kind: KindName): (object: KubeObject) => CustomObject {
  return (object) => {
    // The API server holds objects to the schema of the kind.
    const { metadata, spec, status = {} } = object as Omit<CustomObject, 'status'> & { status?: Status };
    const { name, namespace, uid, resourceVersion, generation, creationTimestamp } = metadata;
    const { deletionTimestamp, finalizers, annotations, labels } = metadata;
    const ours = Object.entries(annotations ?? {}).filter(([key]) => key.startsWith(`${group}/`));
    return {
      kind,
      metadata: {
        name,
        namespace,
        uid,
        resourceVersion,
        generation,
        creationTimestamp,
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
        ...(finalizers === undefined ? {} : { finalizers }),
        ...(ours.length === 0 ? {} : { annotations: Object.fromEntries(ours) }),
        ...(kind === 'DataSource' && labels !== undefined ? { labels } : {}),
      },
      spec,
      status,
    };
  };
}

/** The annotation that asks for a reconcile now, as Flux has one. */
const requestAnnotation: keyof typeof textAnnotations = 'rolecall.dev/reconcile-requested-at';

/** The value of that annotation, which is new each time, cut to what a status takes. */
export function reconcileRequest({ annotations }: CustomObject['metadata']): string | undefined {
  return annotations?.[requestAnnotation]?.slice(0, 1024);
}

/** True if a reconcile was asked for and has not happened yet. */
export const isRequested = ({ metadata, status }: CustomObject): boolean => {
  const requested = reconcileRequest(metadata);
  return requested !== undefined && requested !== status.lastHandledReconcileAt;
};

export const hasFinalizer = ({ metadata }: CustomObject): boolean => metadata.finalizers?.includes(finalizer) === true;
/** True if its status is about its current spec. */
export const isObserved = ({ metadata, status }: CustomObject): boolean =>
  status.observedGeneration === metadata.generation;
export const isDeleting = ({ metadata }: CustomObject): boolean => metadata.deletionTimestamp !== undefined;

/** As messages and the engine name an object: `Person/ada`. */
export const labelOf = ({ kind, metadata }: CustomObject): string => `${kind}/${metadata.name}`;

export const allKinds: readonly KindName[] = kindNames;

/** An object as a reconcile saw it, with the status that it has by now: a later request or spec was not acted upon. */
export function asSeen(now: CustomObject, seen: CustomObject): CustomObject {
  if (now === seen) return now;
  const { annotations: _ofNow, ...metadata } = now.metadata;
  const { annotations, generation } = seen.metadata;
  return {
    ...seen,
    metadata: { ...metadata, generation, ...(annotations === undefined ? {} : { annotations }) },
    status: now.status,
  };
}
