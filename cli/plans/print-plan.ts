import { isEmpty, isRefused, type Plan, renderMarkdown, renderText } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';
import type { LimitFlags } from '../options/plan-options.ts';
import type { Output } from '../output/output.ts';
import { shellWord } from '../output/words.ts';

/**
 * Prints a plan for people. As JSON it is a part of another document in each command.
 *
 * @param file where the plan is saved: shortened Markdown says how to print all of it
 */
export function printPlan(
  plan: Plan,
  { format, palette, say }: Output,
  file?: string,
  { commentLimit: limit, verbose = false }: LimitFlags = {},
): void {
  if (format !== 'markdown') {
    const unfold = verbose ? {} : { unfold: '--verbose lists each' };
    say(renderText(plan, { palette, describeOverride: (token) => `--override ${shellWord(token)}`, ...unfold }));
    return;
  }
  const whole = file === undefined ? {} : { whole: `rolecall show ${shellWord(file)}` };
  say(renderMarkdown(plan, { unfolded: verbose, ...whole, ...(limit === undefined ? {} : { limit }) }));
}

/**
 * @param done what became of the rest: `nothing was written`
 * @throws CliError when a part of the plan is refused; the reasons have been printed with it
 */
export function failIfRefused(plan: Plan, done: string): void {
  if (!isRefused(plan)) return;
  const rails = [...new Set(plan.refusals.map(({ rail }) => rail))];
  const what = isEmpty(plan) ? 'the plan is refused' : 'a part of the plan is refused';
  throw new CliError(
    'ERR_PLAN_REFUSED',
    `${what} (${rails.join(', ')}), and ${done}: the plan lists each reason and its remedy`,
    { rails },
  );
}
