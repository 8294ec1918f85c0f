/** The custom resources as the operator keeps them: only what it uses, so that ten thousand take little memory. */

import { group, type KindName, kindNames, kinds, type textAnnotations, version } from '@rolecall/crds';
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

/** What the operator writes into `status`; crds/schema/status.ts has its schema. */
export interface Status {
  readonly observedGeneration?: number;
  readonly lastHandledReconcileAt?: string;
  readonly id?: string;
  /** The address of the workspace that the id of a permission is of. */
  readonly workspace?: string;
  /** What it is called in the workspace. */
  readonly alias?: string;
  readonly username?: string;
  readonly name?: string;
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
  };
  readonly spec: unknown;
  readonly status: Status;
}

/** Says that something in the workspace has to go before the object may. */
export const finalizer = `${group}/workspace`;

/** Where a kind's objects are: all of them, those of a namespace, or one. */
export function kindPath(kind: KindName, namespace?: string, name?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/apis/${group}/${version}${scope}/${kinds[kind].plural}${name === undefined ? '' : `/${name}`}`;
}

/** Makes what keeps of a kind's objects what the operator uses. Lists leave `kind` out, so it is said here. */
export function projectionOf(kind: KindName): (object: KubeObject) => CustomObject {
  return (object) => {
    // The API server holds objects to the schema of the kind.
    const { metadata, spec, status = {} } = object as Omit<CustomObject, 'status'> & { status?: Status };
    const { name, namespace, uid, resourceVersion, generation, creationTimestamp } = metadata;
    const { deletionTimestamp, finalizers, annotations } = metadata;
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
      },
      spec,
      status,
    };
  };
}

/** The annotation by which somebody asks for a look now, as Flux has one. */
const requestAnnotation: keyof typeof textAnnotations = 'rolecall.dev/reconcile-requested-at';

/** What was asked for: a text that is new each time, cut to what a status takes. */
export function reconcileRequest({ annotations }: CustomObject['metadata']): string | undefined {
  return annotations?.[requestAnnotation]?.slice(0, 1024);
}

/** Whether somebody asked for a look that was not had yet. */
export const isRequested = ({ metadata, status }: CustomObject): boolean => {
  const requested = reconcileRequest(metadata);
  return requested !== undefined && requested !== status.lastHandledReconcileAt;
};

export const hasFinalizer = ({ metadata }: CustomObject): boolean => metadata.finalizers?.includes(finalizer) === true;
/** Whether its status speaks of the spec as it is now. */
export const isObserved = ({ metadata, status }: CustomObject): boolean =>
  status.observedGeneration === metadata.generation;
export const isLeaving = ({ metadata }: CustomObject): boolean => metadata.deletionTimestamp !== undefined;

/** As messages and the engine name an object: `Person/ada`. */
export const labelOf = ({ kind, metadata }: CustomObject): string => `${kind}/${metadata.name}`;

export const allKinds: readonly KindName[] = kindNames;

/** An object as a look saw it, with what is written by now: a request or another spec that came meanwhile was not acted upon. */
export function asSeen(now: CustomObject, seen: CustomObject): CustomObject {
  const { annotations: _ofNow, ...metadata } = now.metadata;
  const { annotations, generation } = seen.metadata;
  return {
    ...seen,
    metadata: { ...metadata, generation, ...(annotations === undefined ? {} : { annotations }) },
    status: now.status,
  };
}
