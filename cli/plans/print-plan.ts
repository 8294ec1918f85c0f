import { isRefused, type MarkdownOptions, type Plan, renderMarkdown, renderText } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';
import type { Output } from '../output/output.ts';
import { shellWord } from '../output/words.ts';

/** Prints a plan for people. As JSON it is a part of another document in each command. */
export function printPlan(plan: Plan, { format, palette, say }: Output, markdown: MarkdownOptions = {}): void {
  say(
    format === 'markdown'
      ? renderMarkdown(plan, markdown)
      : renderText(plan, { palette, describeOverride: (token) => `--override ${shellWord(token)}` }),
  );
}

/** @throws CliError when the plan may not run; its reasons have been printed with it */
export function failIfRefused(plan: Plan): void {
  if (!isRefused(plan)) return;
  const rails = [...new Set(plan.refusals.map(({ rail }) => rail))];
  throw new CliError(
    'ERR_PLAN_REFUSED',
    `the plan is refused (${rails.join(', ')}), so nothing was written: each reason and its remedy stands in the plan`,
    { rails },
  );
}
