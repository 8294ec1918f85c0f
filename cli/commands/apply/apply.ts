import { createInterface } from 'node:readline';
import {
  converge,
  isEmpty,
  isRefused,
  orderedPlan,
  type Plan,
  recordDeclarations,
  removalWords,
} from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { loadDeclared } from '../../definitions/declared.ts';
import { CliError, InterruptedError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { LimitFlags } from '../../options/plan-options.ts';
import { createProgress } from '../../output/progress.ts';
import { findPlanFile } from '../../plans/plan-file.ts';
import { type Hold, type PlanFlags, type Prepared, preparePlan } from '../../plans/prepare-plan.ts';
import { prepareSavedPlan } from '../../plans/prepare-saved-plan.ts';
import { failIfRefused, printPlan } from '../../plans/print-plan.ts';
import { growHeapSlowly } from '../../process/heap.ts';
import { type Interrupts, watchInterrupts } from '../../process/interrupts.ts';
import type { Io } from '../../process/io.ts';
import { leaseTimeoutMs, RunLease } from '../../workspace/lease.ts';
import { convergedDocument, describeConverged, type Outcome, outcomeOf } from './apply-result.ts';

export interface ApplyOptions extends CommonOptions, PlanFlags, Pick<LimitFlags, 'verbose' | 'quiet'> {
  yes?: true;
  /** Time to wait for another run, as in 5m. */
  leaseTimeout?: string;
  /** The plan was just printed, so it is not shown again. Not an option of the command line. */
  planShown?: true;
}

/** Applies definitions or a saved plan: shows the plan, asks for confirmation, converges and reports the result. */
export async function applyPaths(context: Context, paths: string[], options: ApplyOptions): Promise<ExitCode> {
  growHeapSlowly();
  const source = findPlanFile(paths) ?? (await loadDeclared(paths, options, context));
  const timeoutMs = leaseTimeoutMs(options.leaseTimeout);
  using interrupts = watchInterrupts(context);
  const hold: Hold = (client) => RunLease.take(client, context, timeoutMs, interrupts.abandon);
  // While a person thinks about the plan, no other run has to wait.
  const early = options.yes === true ? hold : undefined;
  await using prepared = await (typeof source === 'string'
    ? prepareSavedPlan(source, options, context, interrupts, early)
    : preparePlan(source, options, context, interrupts, {
        isReviewed: options.yes !== true,
        isRun: true,
        hold: early,
      }));
  if (isPlanTold(prepared.plan, options)) printPlan(prepared.plan, context.output, undefined, options);
  if (isEmpty(prepared.plan)) {
    await record(prepared);
    context.output.document(documentOf(isRefused(prepared.plan) ? 'refused' : 'unchanged', prepared.plan));
    failIfRefused(prepared.plan, 'nothing was written');
    return exitCodes.ok;
  }
  if (options.yes !== true) {
    // With JSON there is no question, so the run ends here.
    context.output.document(documentOf('declined', prepared.plan));
    await failUnlessConfirmed(context, prepared.plan, paths, interrupts);
  }
  await using late = options.yes === true ? undefined : await hold(prepared.client);
  // The workspace may have changed while the question was open.
  if (options.yes !== true) await prepared.failIfMoved();
  const lost = (prepared.lease ?? late)?.lost;
  const code = await run(prepared, context, options, interrupts, lost);
  if (code === exitCodes.ok) failIfRefused(prepared.plan, 'the rest was applied');
  return code;
}

/** True if the plan is shown: `--quiet` too shows what is refused, or has to be confirmed. */
function isPlanTold(plan: Plan, { planShown, quiet, yes }: ApplyOptions): boolean {
  return planShown !== true && (quiet !== true || yes !== true || isRefused(plan));
}

/** @throws CliError when the answer is no or there is no terminal, InterruptedError at Ctrl-C */
async function failUnlessConfirmed(
  { io, output }: Context,
  plan: Plan,
  paths: readonly string[],
  { stop }: Interrupts,
): Promise<void> {
  const isTerminal = io.stdin.isTTY && io.stdout.isTTY;
  // Definitions on standard input leave no input for an answer.
  if (!isTerminal || output.format === 'json' || paths.includes('-')) {
    throw new CliError(
      'ERR_YES_NEEDED',
      'nothing was written: there is no terminal to ask for confirmation on. Review the plan, then add --yes',
    );
  }
  const removals = removalWords(plan);
  const warning = removals === '' ? '' : `This plan ${removals}.\n`;
  const answer = await confirm(`\n${warning}Apply these changes? Only 'yes' is accepted: `, io, stop);
  if (stop.aborted) throw new InterruptedError();
  if (!answer) throw new CliError('ERR_DECLINED', 'not confirmed; nothing was written');
}

async function run(
  { plan, client, resolveSecret }: Prepared,
  context: Context,
  options: ApplyOptions,
  interrupts: Interrupts,
  lost: AbortSignal | undefined,
): Promise<ExitCode> {
  const { concurrency, quiet = false } = options;
  const progress = createProgress(context, options);
  const startedAt = performance.now();
  interrupts.protectWrites();
  await record({ plan, client });
  const converged = await converge(plan, client, {
    resolveSecret,
    signal: lost === undefined ? interrupts.stop : AbortSignal.any([interrupts.stop, lost]),
    onProgress: progress.report,
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  progress.end();
  const outcome = outcomeOf(converged, interrupts.stop.aborted);
  const { output, connection } = context;
  if (!quiet || outcome !== 'done') {
    output.say(describeConverged(converged, outcome, performance.now() - startedAt, output.palette, connection));
  }
  const whole = outcome === 'done' && isRefused(plan) ? 'refused' : outcome;
  output.document({ outcome: whole, ...convergedDocument(converged, connection), plan: orderedPlan(plan) });
  return exitCodeOf(outcome);
}

/** Has the service remember what the definitions have, before the run changes any of it. */
async function record({ plan: { declarations }, client }: Pick<Prepared, 'plan' | 'client'>): Promise<void> {
  if (declarations !== undefined) await recordDeclarations(declarations, client);
}

/** The document of a run that wrote nothing. */
function documentOf(outcome: Outcome, plan: Plan): unknown {
  return { outcome, done: [], failed: [], notRun: [], plan: orderedPlan(plan) };
}

function exitCodeOf(outcome: Outcome): ExitCode {
  if (outcome === 'interrupted') return exitCodes.interrupted;
  return outcome === 'failed' || outcome === 'refused' ? exitCodes.error : exitCodes.ok;
}

/**
 * Asks a question on a terminal.
 *
 * @param signal stops waiting, as if the answer were no
 * @returns whether the answer is exactly `yes`; the end of the input means no
 */
function confirm(question: string, { stdin, stdout }: Io, signal: AbortSignal): Promise<boolean> {
  // Not as a terminal: readline would consume Ctrl-C, which the command's own handler needs.
  const lines = createInterface({ input: stdin, terminal: false });
  stdout.write(question);
  return new Promise((resolve) => {
    const end = (): void => {
      lines.close();
    };
    lines.once('line', (line) => {
      resolve(line.trim() === 'yes');
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', end);
      resolve(false);
    });
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
