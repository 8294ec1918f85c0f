import { formatConnectionUri, type OperationId, ProblemError, parseConnectionUri, type RequestOf } from '@rolecall/api';
import { passwordOf } from '../kinds/data-source.ts';
import type { Surroundings } from '../kinds/scope.ts';
import { label } from '../model/desired.ts';
import type { Plan } from '../model/plan.ts';
import { isReference, isSecretUri, type Reference, type SecretUri, type Step, type StepValue } from '../model/step.ts';
import { actOf, does, isBridge, makes, operationOf } from '../operations/table.ts';
import { isExactly } from '../view/owners.ts';
import type { Caller } from '../view/view.ts';
import { createOnce } from './create-once.ts';
import { type Converged, defaultConcurrency, Schedule, type ScheduleOptions } from './schedule.ts';

export interface ConvergeOptions extends Pick<Surroundings, 'resolveSecret'>, ScheduleOptions {
  /** Awaited before the call of each step; where it rejects, the step has failed and its call is not made. */
  before?: (step: Step) => Promise<void>;
}

/**
 * Runs a plan: each step once the steps it waits for have succeeded, independent steps side by side. A step that fails
 * holds up only what waits for it. The client repeats what is safe to repeat; nothing is repeated here.
 *
 * What refusals hold up is not among the steps. Failures of steps are in the result.
 */
export async function converge(
  plan: Pick<Plan, 'steps' | 'gates' | 'exact' | 'declarations'>,
  client: Caller,
  options: ConvergeOptions,
): Promise<Converged> {
  const run = new Schedule(plan, options);
  const ids = new Map<string, string>();
  const kept = new Set(plan.declarations?.kept);
  const callerFor = (step: Step): Caller => {
    const exact = isExactly(step, plan.exact);
    const definition = plan.declarations === undefined ? undefined : declaredBy(step);
    const declaredAs = definition === undefined ? undefined : { definition, isKept: kept.has(definition) };
    if (!exact && declaredAs === undefined) return client;
    return { call: (operation, request, more) => client.call(operation, request, { ...more, exact, declaredAs }) };
  };
  const workers = Array.from({ length: options.concurrency ?? defaultConcurrency }, async () => {
    for (let step = await run.next(); step !== undefined; step = await run.next()) {
      try {
        await options.before?.(step);
        const answer = await perform(step, ids, callerFor(step), options.resolveSecret);
        if (step.makes !== undefined) ids.set(step.makes, idIn(answer, step));
        run.succeed(step, answer, ids);
      } catch (error) {
        run.fail(step, error instanceof Error ? error : new Error(String(error)));
      }
    }
  });
  await Promise.all(workers);
  return run.result;
}

/** The definition that has what a step makes: the service remembers it with the object, in one transaction. */
function declaredBy(step: Step): string | undefined {
  const { object } = step;
  return makes(step, object.kind) && object.undeclared !== true && !isBridge(step) ? label(object) : undefined;
}

/** Makes the call of one step. If the object to delete is already gone, the step succeeds. */
async function perform(
  step: Step,
  ids: ReadonlyMap<string, string>,
  client: Caller,
  resolveSecret: Surroundings['resolveSecret'],
): Promise<unknown> {
  const params = await fillAll(step.params, ids, resolveSecret);
  const body = step.body && (await fillAll(step.body, ids, resolveSecret));
  // A step is data, whose operation is only known as it runs; the service validates every field of it.
  const request = { params, body } as unknown as RequestOf<OperationId>;
  if (operationOf(step).proof !== undefined) return createOnce(step, request, client);
  try {
    return await client.call(step.operation, request);
  } catch (error) {
    if (isRemoval(step) && error instanceof ProblemError && error.status === 404) return {};
    throw error;
  }
}

/** True if a step takes something away that another run may have taken away already; a person is locked before. */
function isRemoval(step: Step): boolean {
  return actOf(step) === 'delete' || (does(step, 'lock', 'person') && step.effect !== 'change');
}

type Filled = Exclude<StepValue, Reference | SecretUri>;

async function fillAll(
  values: Readonly<Record<string, StepValue>>,
  ids: ReadonlyMap<string, string>,
  resolveSecret: Surroundings['resolveSecret'],
): Promise<Record<string, Filled>> {
  const filled: Record<string, Filled> = {};
  for (const [name, value] of Object.entries(values)) filled[name] = await fill(value, ids, resolveSecret);
  return filled;
}

async function fill(
  value: StepValue,
  ids: ReadonlyMap<string, string>,
  resolveSecret: Surroundings['resolveSecret'],
): Promise<Filled> {
  if (isReference(value)) {
    const id = ids.get(value.ref);
    if (id === undefined) throw new Error(`no step of this run made ${value.ref}`);
    return id;
  }
  if (!isSecretUri(value)) return value;
  if (value.password === null) return value.uri;
  const password = await passwordOf(value.password, resolveSecret);
  return formatConnectionUri({ ...parseConnectionUri(value.uri), password });
}

function idIn(answer: unknown, step: Step): string {
  if (typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string')
    return answer.id;
  throw new Error(`the answer to "${step.summary}" has no id`);
}
