import { orderedPlan } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import type { LimitFlags } from '../../options/plan-options.ts';
import { openPlanFile } from '../../plans/plan-file.ts';
import { printPlan } from '../../plans/print-plan.ts';

/**
 * Prints a saved plan.
 *
 * @throws CliError when it is no such plan, or not as it was written
 */
export function showSavedPlan({ io, output }: Context, file: string, flags: LimitFlags): void {
  const { plan } = openPlanFile(file, io.env);
  printPlan(plan, output, file, flags);
  output.document(orderedPlan(plan));
}
