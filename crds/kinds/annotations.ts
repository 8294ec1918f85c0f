/** The annotations of rolecall.dev, and the kinds on which they have an effect. */

import type { Metadata } from '../fields/metadata.ts';
import type { KindName } from './definition.ts';

/** The annotations with the value "true" or "false". */
export const annotations = {
  'rolecall.dev/protected':
    'Role: keeps at least one member who can log in, and is not created while another role is removed, which may be the same one. Person, Role: in Kubernetes, not deleted until you remove the annotation.',
  'rolecall.dev/critical':
    'DataSource, Role: a run that takes it from two people or more, and from more than a tenth of those who have it, or from the last one, is refused.',
  'rolecall.dev/paused': 'Rolecall neither changes nor removes the object for now.',
  'rolecall.dev/ended':
    'Permission: its window is over and the definition is kept for the record. It is no error if it was never granted here.',
  'rolecall.dev/released':
    'In Kubernetes: lets a deleted object go although Rolecall cannot remove what it made, because the workspace is gone for good.',
} as const;

/** The annotations with any text as value. */
export const textAnnotations = {
  'rolecall.dev/id':
    'The id of the object in the workspace that the definition means. Write it where several have its name, which is refused as ambiguous, or, on the command line, to rename it. Else the name decides. Each workspace has ids of its own: an id that is not there means nothing, and that of a permission of another person or data source is refused.',
  'rolecall.dev/reconcile-requested-at':
    'In Kubernetes: a new value, such as the time, makes the operator read the workspace again and reconcile the object at once; status.lastHandledReconcileAt repeats it.',
} as const;

/** The annotations of earlier versions, and why none is needed any more. A definition that still has one is valid. */
export const formerAnnotations: Readonly<Record<string, string>> = {
  'rolecall.dev/replace-allowed': 'people are edited in place',
};

export type AnnotationName = keyof typeof annotations;

/** The kinds on which an annotation has an effect. */
export const annotatedKinds: Readonly<Record<AnnotationName, readonly KindName[]>> = {
  'rolecall.dev/protected': ['Person', 'Role'],
  'rolecall.dev/critical': ['DataSource', 'Role'],
  'rolecall.dev/paused': ['DataSource', 'Person', 'Role', 'RoleMembership', 'Permission', 'Snippet'],
  'rolecall.dev/ended': ['Permission'],
  'rolecall.dev/released': ['Workspace', 'DataSource', 'Person', 'Role', 'RoleMembership', 'Permission', 'Snippet'],
};

/** True if an annotation of rolecall.dev is "true", on a kind on which it has an effect. */
export function isAnnotated(
  { kind, metadata }: { readonly kind: KindName; readonly metadata: Metadata },
  name: AnnotationName,
): boolean {
  return metadata.annotations[name] === 'true' && annotatedKinds[name].includes(kind);
}
