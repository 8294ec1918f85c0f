/** From the outcome of a reconcile to the conditions that kstatus, Argo CD and people read. */

import { isDeepStrictEqual } from 'node:util';
import { kinds, mapping } from '@rolecall/crds';
import {
  type Condition,
  type CustomObject,
  isObserved,
  reconcileRequest,
  type Status,
} from '../resources/custom-object.ts';
import type { Reason } from './reasons.ts';

/** The result of a reconcile for one object, as its status tells it. */
export interface Outcome {
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  /** For people: which field or reference, what the service answered, what to do. Never a secret. */
  readonly message: string;
  /** Nothing will change until a person changes the object, or something that it needs. */
  readonly stalled?: true;
  /** The id in the workspace; undefined where it has nothing there. Absent: the recorded id stays. */
  readonly id?: string | undefined;
  /** The store that the id is of, or the address of the workspace, where another one may use the same id. */
  readonly workspace?: string | undefined;
  /** The creation of the thing with that id, where the id is recorded with its workspace. */
  readonly createdAt?: string | undefined;
  /** Of a Workspace: what it has and no object declares, by collection. Absent: what was recorded stays. */
  readonly undeclared?: Status['undeclared'];
  readonly state?: Status['state'];
  readonly startsAt?: string | undefined;
  readonly expiresAt?: string | undefined;
}

/** The schema's own limit. */
const longestMessage = 32_768;

/**
 * The status of an object by its outcome; the same value as before where nothing is new, so that nothing is written.
 *
 * @param now milliseconds since 1970
 */
export function statusOf(object: CustomObject, outcome: Outcome, now: number): Status {
  const { metadata, status } = object;
  const { generation } = metadata;
  const requested = reconcileRequest(metadata) ?? status.lastHandledReconcileAt;
  const oldConditions = new Map(status.conditions?.map((condition) => [condition.type, condition]));
  const condition = (type: string, value: Condition['status']): Condition => {
    const old = oldConditions.get(type);
    return {
      type,
      status: value,
      reason: outcome.reason,
      message: outcome.message.slice(0, longestMessage),
      lastTransitionTime: old?.status === value ? old.lastTransitionTime : wholeSeconds(now),
      observedGeneration: generation,
    };
  };
  const { id, workspace, createdAt } = 'id' in outcome ? outcome : status;
  const { state, undeclared = status.undeclared } = outcome;
  const { startsAt, expiresAt } = windowOf(object, outcome);
  const next: Status = {
    observedGeneration: generation,
    ...(requested === undefined ? {} : { lastHandledReconcileAt: requested }),
    ...(id === undefined ? {} : { id }),
    ...(id === undefined || workspace === undefined ? {} : { workspace }),
    ...(id === undefined || createdAt === undefined ? {} : { createdAt }),
    ...keyFieldOf(object),
    ...(undeclared === undefined || Object.keys(undeclared).length === 0 ? {} : { undeclared }),
    ...(state === undefined ? {} : { state }),
    ...(startsAt === undefined ? {} : { startsAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    conditions: [
      condition('Ready', outcome.ready),
      // Both are there only while they hold, as kstatus wants it.
      ...(outcome.stalled === true ? [condition('Stalled', 'True')] : []),
      ...(outcome.ready !== 'True' && outcome.stalled !== true ? [condition('Reconciling', 'True')] : []),
    ],
  };
  return isDeepStrictEqual(next, status) ? status : next;
}

/** Keeps the window that was written down, unless a membership has another one by now, or none. */
function windowOf({ kind, spec, status }: CustomObject, outcome: Outcome): Pick<Status, 'startsAt' | 'expiresAt'> {
  if (kind === 'RoleMembership') {
    const declared = mapping(spec);
    if (!['startsAt', 'expiresAt', 'duration'].some((field) => field in declared)) return {};
    // A duration counts from a start that nothing but the status remembers.
    const isRemembered = 'duration' in declared && !('startsAt' in declared);
    if (outcome.state !== undefined && (outcome.startsAt !== undefined || !isRemembered)) return definedOf(outcome);
  }
  return definedOf({ startsAt: outcome.startsAt ?? status.startsAt, expiresAt: outcome.expiresAt ?? status.expiresAt });
}

function definedOf({ startsAt, expiresAt }: Pick<Outcome, 'startsAt' | 'expiresAt'>) {
  return { ...(startsAt === undefined ? {} : { startsAt }), ...(expiresAt === undefined ? {} : { expiresAt }) };
}

/** The name in the workspace, by the spec or, where that has none, by the object's own name: columns have no defaults. */
function keyFieldOf({ kind, metadata, spec }: CustomObject): Partial<Status> {
  const { keyField } = kinds[kind];
  if (keyField === undefined) return {};
  const given = mapping(spec)[keyField];
  return { [keyField]: typeof given === 'string' ? given : metadata.name };
}

/** metav1.Time has no fraction. */
function wholeSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** The condition that says whether an object is as it was declared. */
export function readyCondition({ conditions }: Status): Condition | undefined {
  return conditions?.find(({ type }) => type === 'Ready');
}

/** True if its status says that it is as declared, and is about its current spec. */
export const isReady = (object: CustomObject): boolean =>
  isObserved(object) && readyCondition(object.status)?.status === 'True';
