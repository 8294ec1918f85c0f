import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson, type OperationId, type PermissionWindow, ProblemError, type RequestOf } from '@rolecall/api';
import type { Step } from '../model/step.ts';
import { isWindowOf } from '../model/window.ts';
import { does, operationOf } from '../operations/table.ts';
import type { Caller } from '../view/view.ts';

type Filled = Readonly<Record<string, unknown>>;

/** Bound on objects that were made and deleted again within the day for which the service remembers keys: each costs two more calls. */
const longestChain = 8;

/**
 * Makes the call of a step that makes something, so that two runs which do so at the same moment make it once. The
 * Idempotency-Key follows from what the step is and not from the run: the second run is answered as the first was.
 *
 * An object that was made under the key and is gone since has to be made again. So what was answered a second time is
 * looked at, and where it is no longer there the next key is taken, which follows from the first and from what is gone:
 * runs at the same moment come to the same one again. What is undone over and over gets a key of its own in the end: that two
 * runs make it at the same moment then counts for less than that it is made at all.
 *
 * @param request of the step, its references and secrets filled in; no key is made of secrets
 * @returns the answer
 */
export async function createOnce(step: Step, request: RequestOf<OperationId>, client: Caller): Promise<unknown> {
  const { params = {}, body = {} } = request as { params?: Filled; body?: Filled };
  let key = digest(step.id, canonicalJson(params, 'ordered'));
  for (let count = 0; count < longestChain; count += 1) {
    const replays: true[] = [];
    try {
      const onReplayed = (): void => {
        replays.push(true);
      };
      const answer = await client.call(step.operation, request, { idempotencyKey: key, onReplayed });
      if (replays.length === 0 || (await isThere(step, params, answer, client))) return answer;
      key = digest(key, `gone ${idOf(answer)}`);
    } catch (error) {
      if (!(error instanceof ProblemError && error.problem === 'idempotency_key_reused')) throw error;
      const other = await madeByOther(step, params, body, client);
      if (other !== undefined) return other;
      key = digest(key, 'another request');
    }
  }
  return client.call(step.operation, request, { idempotencyKey: randomUUID() });
}

/** True if what was made before is still there, under the natural key that it was made with. */
async function isThere(step: Step, params: Filled, made: unknown, client: Caller): Promise<boolean> {
  // The answer was checked against the operation's schema, which the proof of the same operation takes.
  return (await operationOf(step).proof?.(made as never, client, params)) ?? true;
}

/**
 * A permission that begins when it is granted begins a second later in the other run, which is another request for the
 * same thing: where the other one is there, it is the one.
 */
async function madeByOther(
  step: Step,
  params: Filled,
  body: Filled,
  client: Caller,
): Promise<PermissionWindow | undefined> {
  if (!does(step, 'create', 'permission')) return undefined;
  const pair = { dataSource: String(params['dataSource']), person: String(params['person']) };
  const expiresAt = new Date(Date.parse(String(body['startsAt'])) + Number(body['duration']) * 1000).toISOString();
  const granted = await client.call('listPairPermissions', { params: pair });
  return granted.find((permission) => isWindowOf(permission, { expiresAt }, new Date()));
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url');
}

function idOf(answer: unknown): string {
  return typeof answer === 'object' && answer !== null && 'id' in answer ? String(answer.id) : '';
}
