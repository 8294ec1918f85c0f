import { statSync } from 'node:fs';
import {
  type Baseline,
  isEmpty,
  isRefused,
  mapSecretSources,
  orderedPlan,
  type Plan,
  visible,
  writeSavedPlan,
} from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { type Declared, loadDeclared } from '../../definitions/declared.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { failUnlessWritable } from '../../files/out-file.ts';
import { mapConnectionFiles, mapSourceFile, toPortable } from '../../files/portable-path.ts';
import { writeWhole } from '../../files/write-whole.ts';
import type { LimitFlags } from '../../options/plan-options.ts';
import { shellWord } from '../../output/words.ts';
import { findPlanFile, isSavedPlan } from '../../plans/plan-file.ts';
import { findPlanKey } from '../../plans/plan-key.ts';
import { type PlanFlags, preparePlan } from '../../plans/prepare-plan.ts';
import { failIfRefused, printPlan } from '../../plans/print-plan.ts';
import { growHeapSlowly } from '../../process/heap.ts';
import { watchInterrupts } from '../../process/interrupts.ts';
import type { Environment } from '../../process/io.ts';
import { readVersion } from '../../version.ts';

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
  await using prepared = await preparePlan(declared, flags, context, interrupts, { isReviewed: true, isRun: false });
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

/** Saves a plan where `--out` says. */
type SavePlan = (plan: Plan, baseline: Baseline, workspace: Declared['workspace']) => void;

/**
 * Looks whether a plan can be saved, before minutes are spent on making it.
 *
 * @throws CliError
 */
function prepareSaving(out: string, env: Environment): SavePlan {
  if (out === '-') {
    throw new CliError(
      'ERR_OUT',
      '--out - names no file: --format json prints the plan; to save one that apply can run, give the name of a file',
    );
  }
  const key = findPlanKey(env);
  failUnlessWritable(out);
  failIfOther(out);
  return (plan, baseline, workspace) => {
    const portable = mapSecretSources(plan, (source) => mapSourceFile(source, toPortable));
    const connection = mapConnectionFiles(workspace?.spec ?? {}, toPortable);
    writeWhole(out, writeSavedPlan({ madeBy: `rolecall ${readVersion()}`, plan: portable, connection, baseline }, key));
  };
}

/** A mistyped command must not overwrite a file: a plan replaces only a plan. */
function failIfOther(out: string): void {
  const there = statSync(out, { throwIfNoEntry: false });
  if (there?.isFile() !== true || there.size === 0 || isSavedPlan(out)) return;
  throw new CliError('ERR_OUT', `--out ${out} exists and is not a saved plan: give another name, or remove the file`);
}
