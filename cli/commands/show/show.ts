import { orderedPlan } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { LimitFlags } from '../../options/plan-options.ts';
import { openPlanFile } from '../../plans/plan-file.ts';
import { printPlan } from '../../plans/print-plan.ts';

/**
 * Prints a saved plan.
 *
 * @throws CliError when the file is not a saved plan, was edited, or is signed with another key
 */
export function showSavedPlan({ io, output }: Context, file: string, flags: LimitFlags): ExitCode {
  const { plan } = openPlanFile(file, io.env);
  printPlan(plan, output, file, flags);
  output.document(orderedPlan(plan));
  return exitCodes.ok;
}
