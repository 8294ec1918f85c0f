/** The annotations of rolecall.dev, and the kinds on which they have an effect. */

import type { Metadata } from '../fields/metadata.ts';
import type { KindName } from './definition.ts';

/** The annotations that mean something here, each "true" or "false". */
export const annotations = {
  'rolecall.dev/protected':
    'Person, Role: not replaced without an explicit override, and a role keeps a member who can get in. In Kubernetes not deleted either, until the annotation is taken away.',
  'rolecall.dev/paused': 'Left alone for the time being: neither changed nor removed.',
  'rolecall.dev/replace-allowed':
    'Person: may be deleted and created again when its name or e-mail address changed, which people in the workspace cannot do in place.',
  'rolecall.dev/ended':
    'Permission: its window is over and the definition is kept for the record, so that it is no error that it was never granted here.',
  'rolecall.dev/released':
    'In Kubernetes: a deleted object may go although what it made cannot be removed, because its workspace is gone for good.',
} as const;

/** Those that take any text. */
export const textAnnotations = {
  'rolecall.dev/reconcile-requested-at':
    'In Kubernetes: a new value, such as the time, has the object looked at at once, and the workspace read anew; status.lastHandledReconcileAt repeats it.',
} as const;

export type AnnotationName = keyof typeof annotations;

/** The kinds on which an annotation has an effect. */
export const annotatedKinds: Readonly<Record<AnnotationName, readonly KindName[]>> = {
  'rolecall.dev/protected': ['Person', 'Role'],
  'rolecall.dev/paused': ['DataSource', 'Person', 'Role', 'RoleMembership', 'Permission', 'Snippet'],
  'rolecall.dev/replace-allowed': ['Person'],
  'rolecall.dev/ended': ['Permission'],
  'rolecall.dev/released': ['Workspace', 'DataSource', 'Person', 'Role', 'RoleMembership', 'Permission', 'Snippet'],
};

/** Whether an annotation of rolecall.dev is "true", on a kind on which it has an effect. */
export function isAnnotated(
  { kind, metadata }: { readonly kind: KindName; readonly metadata: Metadata },
  name: AnnotationName,
): boolean {
  return metadata.annotations[name] === 'true' && annotatedKinds[name].includes(kind);
}
