/** What follows a look at a workspace that could not be ended: what is said of it, and when to try again. */

import { labelOf } from '../resources/custom-object.ts';
import { type BackoffOptions, backoff } from '../runtime/backoff.ts';
import { sleep } from '../runtime/clock.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import type { Verdict } from '../status/conditions.ts';
import { isOfKubernetes, isShutOut, messageOf, shutOut, waiting } from '../status/outcomes.ts';
import type { Memory, PassContext } from './context.ts';
import type { WorkspaceObject } from './reconcile.ts';

export interface RecoveryOptions {
  readonly context: PassContext;
  readonly memory: Memory;
  readonly queue: WorkQueue;
  readonly backoff: BackoffOptions;
  /** Aborts with the loop. */
  readonly isOver: AbortSignal;
  readonly workspace: () => WorkspaceObject;
  /** Writes the Workspace's status. */
  readonly say: (verdict: Verdict) => Promise<void>;
  /** Told of what goes wrong and is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
}

export interface Recovery {
  /** Says what is wrong; resolves once it is time to look again. */
  readonly recover: (error: Error) => Promise<void>;
  /** A look came to its end. */
  readonly reached: () => void;
  /** Whoever waits after a failure goes on now. */
  readonly endWait: () => void;
}

/** Makes what a workspace's loop recovers with. */
export function createRecovery(options: RecoveryOptions): Recovery {
  const { context, memory, queue, isOver, workspace, say, onFailure } = options;
  let failures = 0;
  /** Whether the key was not taken when the workspace was last asked. */
  let isShut = false;
  let retryNow = new AbortController();

  /** Asking again is of use once the key is another one, or for the next look for drift, which begins by itself. */
  async function stayOut(error: Error): Promise<void> {
    const verdict = shutOut(error, workspace().definition);
    sayShut(verdict.message);
    await say(verdict).catch((failed: unknown) => {
      const { maxMs } = options.backoff;
      onFailure(failed instanceof Error ? failed : error, maxMs);
      queue.addAfter(labelOf(workspace().object), maxMs);
    });
  }

  /** Once, when it begins: each look for drift finds it again, maybe for days. */
  function sayShut(message: string): void {
    if (isShut) return;
    isShut = true;
    const { object } = workspace();
    const { namespace, name } = object.metadata;
    context.log('warn', `${namespace}: ${labelOf(object)}: ${message}`, { namespace, kind: object.kind, name });
  }

  return {
    recover: async (error) => {
      failures += 1;
      if (!isOfKubernetes(error)) memory.isStale = 'doubt';
      if (isShutOut(error)) {
        await stayOut(error);
        return;
      }
      const wait = backoff(failures, options.backoff);
      onFailure(error, wait);
      if (!isOfKubernetes(error)) await say(waiting('Unreachable', messageOf(error))).catch(() => undefined);
      await sleep(context.clock, wait, AbortSignal.any([isOver, retryNow.signal]));
    },
    reached: () => {
      failures = 0;
      isShut = false;
    },
    endWait: () => {
      retryNow.abort();
      retryNow = new AbortController();
    },
  };
}
