/** Everything the operator writes to the API server. None of it goes out once the signal is aborted. */

import { randomBytes } from 'node:crypto';
import { type CustomObject, finalizer, hasFinalizer, kindPath, type Status } from '../resources/custom-object.ts';
import { isStatus, StatusError } from '../runtime/errors.ts';
import type { KubeObject } from '../runtime/reflector.ts';
import type { KubeSession } from '../runtime/session.ts';
import { readyCondition } from './conditions.ts';
import { granting } from './outcomes.ts';

export interface Writer {
  /** @returns the object with the finalizer; undefined where it is gone */
  readonly addFinalizer: (object: CustomObject) => Promise<CustomObject | undefined>;
  readonly removeFinalizer: (object: CustomObject) => Promise<void>;
  /** Writes a status where it differs, and an event where Ready became another one. */
  readonly writeStatus: (object: CustomObject, status: Status) => Promise<void>;
  /** Tells of something about an object that its status does not say. */
  readonly writeEvent: (object: CustomObject, told: Told) => Promise<void>;
}

/** What an event says. */
export interface Told {
  readonly type?: 'Normal' | 'Warning';
  /** One word for programs. */
  readonly reason: string;
  /** For people; never a secret. */
  readonly note: string;
}

export interface WriterOptions {
  readonly session: KubeSession;
  readonly signal: AbortSignal;
  /** Takes what the server answered. */
  readonly wrote: (kind: CustomObject['kind'], answer: KubeObject) => CustomObject;
  /** Told of a write that got no answer: it may have been done all the same. */
  readonly onUnanswered: () => void;
  readonly now: () => number;
  /** Names this process in events. */
  readonly identity: string;
  readonly onError: (error: Error) => void;
}

const mergePatch = 'application/merge-patch+json';

export function createWriter(options: WriterOptions): Writer {
  const { session, signal, wrote, onUnanswered, now, identity, onError } = options;

  /** A patch that holds only for the object as it was seen: another one of that name is not touched. */
  async function patch(object: CustomObject, body: object, subresource = ''): Promise<CustomObject | undefined> {
    signal.throwIfAborted();
    const { name, namespace } = object.metadata;
    try {
      const path = `${kindPath(object.kind, namespace, name)}${subresource}`;
      const answer = await session.request({ method: 'PATCH', path, body, contentType: mergePatch, signal });
      // The server answers with the object.
      return wrote(object.kind, answer as KubeObject);
    } catch (error) {
      if (!(error instanceof StatusError)) onUnanswered();
      // 404: it is gone; the watch will tell.
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  async function tell(object: CustomObject, status: Status): Promise<void> {
    const ready = readyCondition(status);
    if (ready === undefined) return;
    const { reason, message: note } = ready;
    await writeEvent(object, { type: ready.status === 'True' ? 'Normal' : 'Warning', reason, note });
  }

  async function writeEvent({ kind, metadata }: CustomObject, { type = 'Normal', reason, note }: Told): Promise<void> {
    signal.throwIfAborted();
    const { name, namespace, uid } = metadata;
    const time = new Date(now()).toISOString();
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      // A name of its own and not a generated one, which may not end in the dot that others put there.
      metadata: { name: `${name.slice(0, 200)}.${randomBytes(8).toString('hex')}`, namespace },
      eventTime: time.replace('Z', '000Z'),
      reportingController: 'rolecall.dev/operator',
      reportingInstance: identity.slice(0, 128),
      action: 'Reconcile',
      reason: reason.slice(0, 128),
      type,
      note: note.slice(0, 1024),
      regarding: { apiVersion: 'rolecall.dev/v1alpha1', kind, name, namespace, uid },
    };
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    // An event is a convenience: what it says stands in the status.
    await session.request({ method: 'POST', path, body: event, signal }).catch((error: unknown) => {
      if (!signal.aborted) onError(error instanceof Error ? error : new Error(String(error)));
    });
  }

  return {
    writeEvent,
    addFinalizer: (object) => {
      const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
      return hasFinalizer(object)
        ? Promise.resolve(object)
        : patch(object, {
            metadata: { uid: object.metadata.uid, resourceVersion: object.metadata.resourceVersion, finalizers },
          });
    },
    removeFinalizer: async (object) => {
      if (!hasFinalizer(object)) return;
      const { uid, resourceVersion } = object.metadata;
      const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
      await patch(object, { metadata: { uid, resourceVersion, finalizers } });
    },
    writeStatus: async (object, status) => {
      if (status === object.status) return;
      // A merge patch leaves what it does not name: what is not said any more has to be named.
      const gone = Object.keys(object.status).filter((key) => !Object.hasOwn(status, key));
      const body = { ...Object.fromEntries(gone.map((key) => [key, null])), ...status };
      await patch(object, { metadata: { uid: object.metadata.uid }, status: body }, '/status');
      const [before, after] = [readyCondition(object.status), readyCondition(status)];
      // Everything that becomes ready would be told as often as it is made: the transitions that matter are the others.
      const isMade = after?.status === 'True' && (before === undefined || before.reason === granting.reason);
      if (isMade || after?.reason === granting.reason) return;
      if (before?.status !== after?.status || before?.reason !== after?.reason) await tell(object, status);
    },
  };
}
