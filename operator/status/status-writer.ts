/** Everything that the operator writes to the API server. */

import { randomBytes } from 'node:crypto';
import { type CustomObject, finalizer, hasFinalizer, kindPath, type Status } from '../resources/custom-object.ts';
import { isStatus, StatusError } from '../runtime/errors.ts';
import type { KubeObject } from '../runtime/reflector.ts';
import type { KubeSession } from '../runtime/session.ts';
import { readyCondition } from './conditions.ts';
import { granting } from './outcomes.ts';

/** The content of an Event. */
export interface EventNote {
  readonly type?: 'Normal' | 'Warning';
  /** One word for programs. */
  readonly reason: string;
  /** For people; never a secret. */
  readonly note: string;
}

export interface StatusWriterOptions {
  readonly session: Pick<KubeSession, 'request'>;
  /** Once aborted, nothing is begun any more: no object gets the finalizer, which announces a call. */
  readonly signal: AbortSignal;
  /** Once aborted, nothing is written any more. */
  readonly cancelled: AbortSignal;
  /** Takes the object that the server answered with. */
  readonly onWritten: (kind: CustomObject['kind'], answer: KubeObject) => CustomObject;
  /** Called for a write that got no answer: it may have been done all the same. */
  readonly onUnanswered: () => void;
  readonly now: () => number;
  /** Names this process in Events. */
  readonly identity: string;
  readonly onError: (error: Error) => void;
}

const mergePatch = 'application/merge-patch+json';

/** The most writes in flight at a time. An API server takes a hundred requests of one client, watches among them. */
const maxInFlight = 48;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** Writes that wait, by namespace. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #inFlight = 0;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** @returns the object with the finalizer; undefined where it is gone */
  addFinalizer(object: CustomObject): Promise<CustomObject | undefined> {
    if (hasFinalizer(object)) return Promise.resolve(object);
    const { finalizers = [] } = object.metadata;
    return this.#patchFinalizers(object, [...finalizers, finalizer], this.#options.signal);
  }

  async removeFinalizer(object: CustomObject): Promise<void> {
    if (!hasFinalizer(object)) return;
    await this.#patchFinalizers(
      object,
      (object.metadata.finalizers ?? []).filter((name) => name !== finalizer),
    );
  }

  /** Writes a status where it differs, and an Event where the reason of Ready changed. */
  async writeStatus(object: CustomObject, status: Status): Promise<void> {
    if (status === object.status) return;
    const body = { metadata: { uid: object.metadata.uid }, status: mergePatchOf(object.status, status) };
    await this.#patch(object, body, '/status');
    const [before, after] = [readyCondition(object.status), readyCondition(status)];
    if (after === undefined || after.reason === granting.reason) return;
    // An Event for each object that becomes ready for the first time would double the writes; the other transitions matter.
    const isMade = after.status === 'True' && (before === undefined || before.reason === granting.reason);
    if (isMade || (before?.status === after.status && before.reason === after.reason)) return;
    const type = after.status === 'True' ? 'Normal' : 'Warning';
    await this.writeEvent(object, { type, reason: after.reason, note: after.message });
  }

  /** Writes an Event. One that cannot be written is dropped, since what it says stands in the status or the log. */
  async writeEvent({ kind, metadata }: CustomObject, { type = 'Normal', reason, note }: EventNote): Promise<void> {
    const { session, cancelled: signal, now, identity, onError } = this.#options;
    const { name, namespace, uid } = metadata;
    const time = new Date(now()).toISOString();
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      // Its own name instead of a generated one, whose prefix may not end in the dot that other clients put there.
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
    const send = (): Promise<unknown> => session.request({ method: 'POST', path, body: event, signal });
    await this.#limit(namespace, send).catch((error: unknown) => {
      if (!signal.aborted) onError(error instanceof Error ? error : new Error(String(error)));
    });
  }

  #patchFinalizers(
    object: CustomObject,
    finalizers: readonly string[],
    until?: AbortSignal,
  ): Promise<CustomObject | undefined> {
    const { uid, resourceVersion } = object.metadata;
    return this.#patch(object, { metadata: { uid, resourceVersion, finalizers } }, '', until);
  }

  /**
   * Patches the object as it was seen: an object that was deleted and created again under the same name is not touched.
   *
   * @param until once aborted, it is not begun any more; one that is under way is finished
   */
  async #patch(
    object: CustomObject,
    body: object,
    subresource = '',
    until?: AbortSignal,
  ): Promise<CustomObject | undefined> {
    const { session, cancelled: signal, onWritten, onUnanswered } = this.#options;
    const { name, namespace } = object.metadata;
    const path = `${kindPath(object.kind, namespace, name)}${subresource}`;
    const send = async (): Promise<unknown> => {
      until?.throwIfAborted();
      try {
        return await session.request({ method: 'PATCH', path, body, contentType: mergePatch, signal });
      } catch (error) {
        if (!(error instanceof StatusError)) onUnanswered();
        throw error;
      }
    };
    try {
      // The server answers with the object.
      return onWritten(object.kind, (await this.#limit(namespace, send)) as KubeObject);
    } catch (error) {
      // 404: it is gone; the watch will tell.
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Runs so many writes at a time. Namespaces take turns, so that thousands of objects of one do not hold up another's. */
  async #limit<T>(namespace: string, run: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= maxInFlight) await this.#turnOf(namespace);
    else this.#inFlight += 1;
    try {
      this.#options.cancelled.throwIfAborted();
      return await run();
    } finally {
      // The next one takes the place over, so that no other comes in between.
      const next = this.#takeNext();
      if (next === undefined) this.#inFlight -= 1;
      else next();
    }
  }

  #turnOf(namespace: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const waiting = this.#waiting.get(namespace) ?? [];
    waiting.push(() => {
      resolve(undefined);
    });
    this.#waiting.set(namespace, waiting);
    return promise;
  }

  /** The oldest write of the namespace that has waited longest for its turn. */
  #takeNext(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [namespace, waiting] = first;
    const next = waiting.shift();
    this.#waiting.delete(namespace);
    if (waiting.length > 0) this.#waiting.set(namespace, waiting);
    return next;
  }
}

/** The merge patch from one value to another: it leaves what it does not name, so that fields that are gone have to be null. */
function mergePatchOf(before: unknown, after: object): object {
  const fields = isRecord(before) ? before : {};
  const gone = Object.keys(fields).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).map(([key, value]: [string, unknown]): [string, unknown] => [
    key,
    isRecord(value) ? mergePatchOf(fields[key], value) : value,
  ]);
  return Object.fromEntries([...gone.map((key): [string, unknown] => [key, null]), ...changed]);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
