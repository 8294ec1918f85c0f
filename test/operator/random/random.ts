import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@rolecall/api';
import { kinds as crds } from '@rolecall/crds';
import { ask, type KubeObject, kindPath } from '../../support/kubernetes/admin-client.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { isWrite, type RequestFault } from '../../support/request-fault.ts';
import type { OperatorProcess } from '../faults/process.ts';
import { type Installation, type Namespace, readyOf } from '../support/installation.ts';
import type { TestWorkspace } from '../support/workspace.ts';
import { Changes } from './changes.ts';
import {
  type Declared,
  type Expected,
  expectedOf,
  type Kind,
  kinds,
  labelOf,
  readWorkspace,
  type Spec,
} from './expected.ts';

/** In half of the rounds nothing goes wrong. */
const disturbances = ['none', 'none', 'none', 'kill', 'end', 'faults of the service', 'cut connections'] as const;
type Disturbance = (typeof disturbances)[number];
const shortestRoundMs = 1_000;
const longestRoundMs = 4_000;
/** A time this long only ends a run that would never come to rest. */
const patienceMs = 120_000;
/** How often it has to be as declared, one look after another. */
const looks = 2;
const pauseMs = 200;

/**
 * Changes objects at random while an operator runs, which is killed or meets faults in some rounds, and compares the whole workspace
 * with what the objects declare after each round.
 *
 * @param start starts the operator
 * @param seconds how long: a round that has begun is finished
 * @param isCareful whether every round is as careful as those in which something goes wrong; see `Changes.begin`
 * @returns how many rounds there were
 * @throws what differs after a round, with the seed
 */
export async function changeAtRandom(
  all: Installation,
  workspace: TestWorkspace,
  start: (namespace: string) => Promise<OperatorProcess>,
  {
    seed,
    seconds,
    isCareful = false,
  }: { readonly seed: number; readonly seconds: number; readonly isCareful?: boolean },
): Promise<number> {
  // The rails would hold back large removals, which this does not test.
  const rails = { maxRemovalPercent: 100, minimumRemoval: 2_147_483_647, allowFirstRemoval: true };
  const space = await all.namespace({ rails }, workspace);
  const run = new RandomRun(all, workspace, space, () => start(space.name), seed, isCareful);
  const end = performance.now() + seconds * 1000;
  let round = 0;
  try {
    await run.start();
    for (; performance.now() < end; round += 1) await run.round();
  } catch (error) {
    const told = `seed ${seed}, round ${round}: ${run.describe()}`;
    await run.stop().catch(() => undefined);
    throw new Error(told, { cause: error });
  }
  await run.stop();
  return round;
}

class RandomRun {
  readonly #all: Installation;
  readonly #workspace: TestWorkspace;
  readonly #space: Namespace;
  readonly #random: Random;
  readonly #changes: Changes;
  readonly #isCareful: boolean;
  readonly #start: () => Promise<OperatorProcess>;
  #operator: OperatorProcess | undefined;
  #logBefore = '';
  #disturbance: Disturbance = 'none';

  constructor(
    all: Installation,
    workspace: TestWorkspace,
    space: Namespace,
    start: () => Promise<OperatorProcess>,
    seed: number,
    isCareful: boolean,
  ) {
    this.#start = start;
    this.#isCareful = isCareful;
    this.#all = all;
    this.#workspace = workspace;
    this.#space = space;
    this.#random = createRandom(seed);
    this.#changes = new Changes(space, createRandom(seed + 1));
  }

  async start(): Promise<void> {
    this.#operator = await this.#start();
  }

  async stop(): Promise<void> {
    this.#workspace.proxy.fault = () => undefined;
    await this.#operator?.end('SIGKILL');
  }

  describe(): string {
    const { done } = this.#changes;
    const logs = ['the operator before:', this.#logBefore, 'the operator:', this.#operator?.log() ?? ''];
    return [`disturbed by ${this.#disturbance}`, ...done, ...logs].join('\n');
  }

  async round(): Promise<void> {
    this.#disturbance = this.#random.pick(disturbances);
    // The answer and the status tell what a call made: if both are lost and the object is changed at once, no one knows of it.
    this.#changes.begin(this.#isCareful || this.#disturbance !== 'none');
    const ms = shortestRoundMs + this.#random.below(longestRoundMs - shortestRoundMs);
    await Promise.all([this.#changes.make(ms), this.#disturb(ms)]);
    await this.#changes.finished();
    await this.#rest();
  }

  async #disturb(ms: number): Promise<void> {
    const { proxy } = this.#workspace;
    switch (this.#disturbance) {
      case 'none':
        return;
      case 'kill':
      case 'end': {
        await sleep(this.#random.below(ms));
        await this.#operator?.end(this.#disturbance === 'kill' ? 'SIGKILL' : 'SIGTERM');
        this.#logBefore = this.#operator?.log() ?? '';
        await this.start();
        return;
      }
      case 'faults of the service': {
        proxy.fault = (request) => (this.#random.chance(0.3) ? this.#fault(isWrite(request)) : undefined);
        await sleep(ms);
        proxy.fault = () => undefined;
        return;
      }
      case 'cut connections': {
        const times = 1 + this.#random.below(4);
        for (let time = 0; time < times; time += 1) {
          await sleep(this.#random.below(ms / times));
          proxy.cut();
          this.#all.proxy.cut();
        }
      }
    }
  }

  #fault(isWritten: boolean): RequestFault {
    const faults: RequestFault[] = [{ answer: 503 }, { answer: 500 }, 'cut', { delayMs: this.#random.below(300) }];
    return this.#random.pick(isWritten ? [...faults, 'lost answer'] : faults);
  }

  /** Waits until the objects and the workspace are as they are expected to be, and stay so. */
  async #rest(): Promise<void> {
    const end = performance.now() + patienceMs;
    for (let right = 0; right < looks; ) {
      const differences = await this.#differences().catch((error: unknown) => {
        // What was listed is gone before its members were asked for: an operator is at work.
        if (error instanceof ProblemError && error.kind === 'not-found') return [error.message];
        throw error;
      });
      right = differences.length === 0 ? right + 1 : 0;
      if (performance.now() > end && right === 0)
        throw new Error(`it does not come to rest:\n${differences.join('\n')}`);
      await sleep(pauseMs);
    }
  }

  async #differences(): Promise<string[]> {
    const objects = await this.#objects();
    const { lines, ids } = await readWorkspace(this.#workspace.client);
    const declared = objects.filter(({ isDeleting }) => !isDeleting);
    const expected = expectedOf(declared);
    const says = objects.flatMap((one) => {
      const reason = expected.reasons.get(labelOf(one)) ?? 'gone';
      if (one.says !== reason) return [`${labelOf(one)} says ${one.says} (${one.message}), not ${reason}`];
      // A status that could not be written is written with the next try.
      const isRecorded = reason !== 'Converged' || one.kind === 'RoleMembership' || ids.has(one.id);
      return isRecorded ? [] : [`${labelOf(one)} does not say what it has in the workspace`];
    });
    const tidied: string[] = [];
    for (const one of declared) if (await this.#tidy(one, expected.reasons, declared, ids)) tidied.push(labelOf(one));
    return [
      ...says,
      ...lacking(expected.lines, lines).map((line) => `is missing: ${line}`),
      ...lacking(lines, expected.lines).map((line) => `is left over: ${line}`),
      ...tidied.map((label) => `${label} had to be changed`),
    ];
  }

  /**
   * Changes an object where the documentation leaves open what the workspace has: one that is refused keeps what it made before, and
   * a role that lists what no object declares stays as it was.
   *
   * @returns whether it had to
   */
  async #tidy(
    one: Seen,
    reasons: Expected['reasons'],
    all: readonly Seen[],
    ids: ReadonlySet<string>,
  ): Promise<boolean> {
    const reason = reasons.get(labelOf(one));
    if (reason === 'Converged') return false;
    const isMissing = reason === 'MissingReference';
    const isOwn = ids.has(one.id) && !all.some((other) => other !== one && other.id === one.id);
    if (isMissing && one.kind === 'Role') await this.#changes.shorten(one);
    else if (isOwn || (isMissing && one.kind === 'Snippet')) await this.#changes.remove(one);
    else return false;
    return true;
  }

  async #objects(): Promise<Seen[]> {
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const list = kindPath(crds[kind].plural, '', this.#space.name);
        const { items } = await ask<{ items: KubeObject[] }>(this.#all.kube, 'GET', list);
        return items.map((item) => seen(kind, item));
      }),
    );
    return lists.flat();
  }
}

/** An object as the API server has it. */
interface Seen extends Declared {
  /** What it has in the workspace; empty where that is nothing. */
  readonly id: string;
  readonly isDeleting: boolean;
  /** Its reason, once the operator has seen its spec. */
  readonly says: string;
  readonly message: string;
}

function seen(kind: Kind, object: KubeObject): Seen {
  const { name, uid, creationTimestamp, deletionTimestamp, generation } = object.metadata;
  const { observedGeneration, id } = object.status ?? {};
  const { reason = '', message = '' } = readyOf(object) ?? {};
  return {
    ...{ kind, name, message, says: observedGeneration === generation ? reason : 'nothing yet' },
    // The test itself has written it.
    spec: object.spec as Spec,
    age: `${creationTimestamp ?? ''} ${uid ?? ''}`,
    id: typeof id === 'string' ? id : '',
    isDeleting: deletionTimestamp !== undefined,
  };
}

/** What one list has more often than the other. */
function lacking(wanted: readonly string[], present: readonly string[]): string[] {
  const rest = [...present];
  return wanted.filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
