import { isEmpty, isRefused, orderedPlan, type Plan, visible } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { loadDeclared } from '../../definitions/declared.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { LimitFlags } from '../../options/plan-options.ts';
import { shellWord } from '../../output/words.ts';
import { findPlanFile } from '../../plans/plan-file.ts';
import { type PlanFlags, preparePlan } from '../../plans/prepare-plan.ts';
import { failIfRefused, printPlan } from '../../plans/print-plan.ts';
import { growHeapSlowly } from '../../process/heap.ts';
import { watchInterrupts } from '../../process/interrupts.ts';
import { prepareSaving } from './save-plan.ts';

export interface PlanOptions extends ShowFlags {
  detailedExitcode?: true;
}

/** `rolecall plan`: makes and prints a plan. A refused plan is an error. */
export async function planPaths(context: Context, paths: readonly string[], options: PlanOptions): Promise<ExitCode> {
  const { steps, undeclared } = await showPlan(context, paths, options);
  if (options.detailedExitcode !== true) return exitCodes.ok;
  if (steps.length > 0) return exitCodes.pending;
  const isLeft = options.undeclared === true && Object.values(undeclared ?? {}).some(({ count }) => count > 0);
  return isLeft ? exitCodes.undeclared : exitCodes.ok;
}

interface ShowFlags extends PlanFlags, LimitFlags {
  /** The file that the plan is saved in. */
  out?: string;
}

/**
 * Plans definitions, prints the plan and saves it with `--out`. A plan that is refused as a whole is not saved, since it cannot run.
 *
 * @throws CliError, also when the plan is refused (it has been printed by then), and the client's errors
 */
export async function showPlan(context: Context, paths: readonly string[], flags: ShowFlags): Promise<Plan> {
  growHeapSlowly();
  const { out } = flags;
  failIfSaved(paths);
  const save = out === undefined ? undefined : prepareSaving(out, context.io.env);
  const declared = await loadDeclared(paths, flags, context);
  using interrupts = watchInterrupts(context);
  await using prepared = await preparePlan(declared, flags, context, interrupts, true);
  const { plan, takeBaseline } = prepared;
  const isSaved = save !== undefined && (!isRefused(plan) || plan.steps.length > 0);
  if (isSaved) save(plan, takeBaseline(), declared.workspace);
  const isTold = flags.quiet !== true || isRefused(plan);
  if (isTold) printPlan(plan, context.output, out, flags);
  context.output.document(orderedPlan(plan));
  if (isTold && out !== undefined && isSaved && context.output.format === 'text') context.output.say(savedLine(out));
  failIfRefused(plan, isEmpty(plan) ? 'nothing of it can run' : 'the rest can run');
  return plan;
}

/** @throws CliError where a plan is given to be planned */
function failIfSaved(paths: readonly string[]): void {
  const file = findPlanFile(paths);
  if (file === undefined) return;
  const name = shellWord(file);
  throw new CliError(
    'ERR_PLAN_IS_MADE',
    `${file} is already a plan: "rolecall show ${name}" prints it, "rolecall apply ${name}" runs it`,
  );
}

function savedLine(out: string): string {
  return `\nSaved to ${visible(out)}. To run exactly this:\n  rolecall apply ${shellWord(out)}`;
}
