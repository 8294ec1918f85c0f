/** Status as the operator writes it. */

import { collectionWords, exactCollections } from '../fields/rails.ts';
import type { Json } from '../json.ts';
import type { KindName } from '../kinds/definition.ts';
import { kinds } from '../kinds/registry.ts';

/** The states of a Permission, or of a RoleMembership for a time, by its window. */
export const permissionStates = ['Pending', 'Active', 'Expired'] as const;

/** The schema of a kind's status, as CustomResourceDefinitions have it. */
export function statusSchema(kind: KindName): Json {
  return {
    description: 'What the operator has observed.',
    type: 'object',
    properties: {
      observedGeneration: {
        description: 'The generation of the spec that the rest of the status is about.',
        type: 'integer',
        format: 'int64',
        minimum: 0,
      },
      lastHandledReconcileAt: {
        description: 'The value of rolecall.dev/reconcile-requested-at that was last acted upon.',
        type: 'string',
        maxLength: 1024,
      },
      id: { description: 'The identifier in the workspace.', type: 'string', maxLength: 255 },
      conditions: {
        description: 'Ready, Reconciling and Stalled.',
        type: 'array',
        maxItems: 16,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        items: condition,
      },
      ...keyField(kind),
      ...(kind === 'Permission' ? permissionFields : kind === 'RoleMembership' ? windowFields : {}),
      ...(kind === 'Workspace' ? { undeclared } : {}),
    },
  };
}

const undeclared: Json = {
  description:
    'How much the workspace has that no object declares, by collection. Collections that were not read are not counted.',
  type: 'object',
  properties: Object.fromEntries(
    exactCollections.map((collection) => [
      collection,
      { description: `Undeclared ${collectionWords[collection]}.`, type: 'integer', format: 'int64', minimum: 0 },
    ]),
  ),
};

/** Key of the object in the workspace, where the spec may leave that out: columns have no defaults. */
function keyField(kind: KindName): Json {
  const { keyField: field } = kinds[kind];
  return field === undefined
    ? {}
    : { [field]: { description: `The ${field} in the workspace.`, type: 'string', maxLength: 255 } };
}

/** RFC 3339, with room for any fraction of a second. */
const moment = { type: 'string', format: 'date-time', maxLength: 64 };

const condition: Json = {
  description: 'One condition, as metav1.Condition has it.',
  type: 'object',
  required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  properties: {
    type: { description: 'Which condition.', type: 'string', minLength: 1, maxLength: 316 },
    status: { description: 'Whether it holds.', type: 'string', enum: ['True', 'False', 'Unknown'] },
    reason: {
      description: 'Why, in one word for programs.',
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    },
    message: { description: 'Why, for people.', type: 'string', maxLength: 32768 },
    lastTransitionTime: { description: 'When status last changed.', ...moment },
    observedGeneration: {
      description: 'The generation of the spec that the condition is about.',
      type: 'integer',
      format: 'int64',
      minimum: 0,
    },
  },
};

const windowFields: Json = {
  state: {
    description:
      'Active: it is granted, and its window is open. Expired: its window is over. Pending: it is not granted, or its window has not begun.',
    type: 'string',
    enum: permissionStates,
  },
  startsAt: { description: 'When access begins, or began.', ...moment },
  expiresAt: { description: 'When access ends, or ended.', ...moment },
};

const permissionFields: Json = {
  workspace: {
    description: 'The store that the id is of, or the address of the workspace, if its service tells no store.',
    type: 'string',
    maxLength: 2048,
  },
  createdAt: { description: 'When the permission with the id was granted.', ...moment },
  ...windowFields,
};
