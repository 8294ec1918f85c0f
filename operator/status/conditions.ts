/** What the operator says about an object, in the conditions that kstatus, Argo CD and people read. */

import { isDeepStrictEqual } from 'node:util';
import { kinds, mapping } from '@rolecall/crds';
import {
  type Condition,
  type CustomObject,
  isObserved,
  reconcileRequest,
  type Status,
} from '../resources/custom-object.ts';

/** How an object fares. */
export interface Verdict {
  readonly ready: 'True' | 'False' | 'Unknown';
  /** One word for programs. */
  readonly reason: string;
  /** For people: which field or reference, what the service answered, what to do. Never a secret. */
  readonly message: string;
  /** Nothing will change until the object, or something it needs, is changed by somebody. */
  readonly stalled?: true;
  /** What it has in the workspace; undefined where it has nothing there. Absent, what was recorded stays. */
  readonly id?: string | undefined;
  /** The address of the workspace that the id is of, where that may be another thing's elsewhere. */
  readonly workspace?: string | undefined;
  /** What else the status says. */
  readonly state?: Status['state'];
  readonly startsAt?: string | undefined;
  readonly expiresAt?: string | undefined;
}

/** The schema's own limit. */
const longestMessage = 32_768;

/**
 * The status of an object by a verdict; the very same value as before where nothing is new, so that nothing is written.
 *
 * @param now milliseconds since 1970
 */
export function statusOf(object: CustomObject, verdict: Verdict, now: number): Status {
  const { metadata, status } = object;
  const { generation } = metadata;
  const requested = reconcileRequest(metadata) ?? status.lastHandledReconcileAt;
  const before = new Map(status.conditions?.map((condition) => [condition.type, condition]));
  const condition = (type: string, value: Condition['status']): Condition => {
    const old = before.get(type);
    return {
      type,
      status: value,
      reason: verdict.reason,
      message: verdict.message.slice(0, longestMessage),
      lastTransitionTime: old?.status === value ? old.lastTransitionTime : wholeSeconds(now),
      observedGeneration: generation,
    };
  };
  const { id, workspace } = 'id' in verdict ? verdict : status;
  const { state, startsAt = status.startsAt, expiresAt = status.expiresAt } = verdict;
  const next: Status = {
    observedGeneration: generation,
    ...(requested === undefined ? {} : { lastHandledReconcileAt: requested }),
    ...(id === undefined ? {} : { id }),
    ...(id === undefined || workspace === undefined ? {} : { workspace }),
    ...calledOf(object),
    ...(state === undefined ? {} : { state }),
    ...(startsAt === undefined ? {} : { startsAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    conditions: [
      condition('Ready', verdict.ready),
      // Both are there only while they hold, as kstatus wants it.
      ...(verdict.stalled === true ? [condition('Stalled', 'True')] : []),
      ...(verdict.ready !== 'True' && verdict.stalled !== true ? [condition('Reconciling', 'True')] : []),
    ],
  };
  return isDeepStrictEqual(next, status) ? status : next;
}

/** What it is called in the workspace, by the spec or, where that is silent, by its own name: columns have no defaults. */
function calledOf({ kind, metadata, spec }: CustomObject): Partial<Status> {
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

/** Whether it says that it is as declared, of the spec that it has now. */
export const isReady = (object: CustomObject): boolean =>
  isObserved(object) && readyCondition(object.status)?.status === 'True';
