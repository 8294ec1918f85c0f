import { orderedPlan, type Plan } from '@rolecall/reconcile';
import type { Context } from './command.ts';
import { loadDeclared } from './declared.ts';
import { watchInterrupts } from './interrupts.ts';
import { failIfRefused, printPlan } from './plan-printing.ts';
import { type PlanFlags, preparePlan } from './planning.ts';

/**
 * Plans definitions and prints the plan.
 *
 * @throws CliError, also when the plan is refused (it has been printed by then), and the client's errors
 */
export async function showPlan(context: Context, paths: readonly string[], flags: PlanFlags): Promise<Plan> {
  const declared = await loadDeclared(paths, flags, context);
  using interrupts = watchInterrupts(context);
  const { plan, client } = await preparePlan(declared, flags, context, interrupts);
  await client.close();
  printPlan(plan, context.output);
  context.output.document(orderedPlan(plan));
  failIfRefused(plan);
  return plan;
}
