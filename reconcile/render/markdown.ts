import type { Plan } from '../model/plan.ts';
import type { Note, Refusal, Step } from '../model/step.ts';
import { accessWords } from '../review/words.ts';
import { closingLine, count, placesWords, undeclaredLine, undeclaredNames } from './closing.ts';
import { editWords, type ShownChange, showChange } from './field-change.ts';
import { fitSections, type Section } from './fit.ts';
import { foldAlike, foldWords, type Group, groupByObject, markOf } from './groups.ts';
import { visible } from './visible.ts';

export interface MarkdownOptions {
  /** The most characters that the text may have. Default: what a comment on GitHub may, 65,536. */
  limit?: number;
  /** The command that shows what was left out: `rolecall show plan.json`. */
  whole?: string;
  /** True if objects that are alike stand one by one. */
  unfolded?: boolean;
}

const githubComment = 65_536;

/**
 * A plan as Markdown for a comment: what it refuses, who gains or loses access, the objects, and the calls, folded. Whatever
 * stands in a definition or came from the service is a code span, in which no mark-up, link or mention works. What does not
 * fit is left out from the end, and said.
 */
export function renderMarkdown(
  plan: Plan,
  { limit = githubComment, whole, unfolded = false }: MarkdownOptions = {},
): string {
  const see = whole === undefined ? 'the plan as text or JSON has them all' : `${code(whole)} shows them all`;
  const note = (lines: number): string => `**${count(lines, 'line')} left out here: ${see}.**`;
  return fitSections(sectionsOf(plan, unfolded), limit, note);
}

function sectionsOf(plan: Plan, unfolded: boolean): Section[] {
  const { name, url } = plan.workspace;
  const where = `Workspace ${name === undefined ? code(url) : `${code(name)} (${code(url)})`}`;
  const whole = (lines: string[]): Section => ({ head: lines, lines: [], tail: [], expendable: 0 });
  return [
    whole(['### Rolecall plan', '', where, '', `**${closingLine(plan)}**`, ...paragraph(undeclaredLine(plan))]),
    section([], plan.refusals.map(refusalItem), 1),
    accessSection(plan),
    section(['#### Objects', '', ...tableHead('', 'object', 'change')], objectRows(plan.steps, unfolded), 4),
    section([], plan.notes.map(noteItem), 3),
    observedSection(plan.observed, unfolded),
    heldSection(plan.held, unfolded),
    section(
      ['#### In the workspace, and not declared', ''],
      undeclaredNames(plan).map(({ what, name }) => `- ${what} ${code(name)}`),
      5,
    ),
    callsSection(plan.steps),
  ];
}

const paragraph = (text: string): string[] => (text === '' ? [] : ['', text]);

/** Nothing at all where there are no lines. */
function section(head: string[], lines: string[], expendable: number, tail: string[] = []): Section {
  return lines.length === 0 ? { head: [], lines: [], tail: [], expendable } : { head, lines, tail, expendable };
}

function accessSection({ access, steps, createdAt }: Plan): Section {
  if (access === undefined || steps.length === 0) return section([], [], 2);
  const heading = ['#### Access', ''];
  const lines = accessWords(access, code, createdAt);
  if (lines.length === 0) return section(heading, ['Access does not change.'], 0);
  return section(
    heading,
    lines.map((line) => `- ${line}`),
    2,
  );
}

/** Each call has a row of its own in the list of calls, so that folding hides nothing. */
function objectRows(steps: readonly Step[], unfolded: boolean): string[] {
  const groups = groupByObject(steps);
  return (unfolded ? groups : foldAlike(groups)).map((group) =>
    'names' in group
      ? tableRow([group.mark, foldWords(group, mostNames, code), 'the calls below have each'])
      : objectRow(group),
  );
}

const mostNames = 12;

function objectRow({ object, mark, steps }: Group): string {
  const [only, ...others] = steps;
  const edit = only !== undefined && others.length === 0 ? editWords(only) : undefined;
  if (edit !== undefined) return tableRow([mark, code(object), code(edit)]);
  const changes = steps.flatMap((step) => (step.changes ?? []).map((change) => changeCell(showChange(change))));
  const what = only !== undefined && others.length === 0 ? code(only.summary) : count(steps.length, 'call');
  return tableRow([mark, code(object), [what, ...changes].join('<br>')]);
}

function callsSection(steps: readonly Step[]): Section {
  const head = ['<details>', `<summary>${count(steps.length, 'call')}, in order</summary>`, ''];
  return section([...head, ...tableHead('', 'call', 'object', 'why')], steps.map(callRow), 5, ['', '</details>']);
}

function callRow(step: Step): string {
  const { kind, name } = step.object;
  return tableRow([markOf(step), code(step.summary), code(`${kind}/${name}`), code(step.reason)]);
}

function observedSection(observed: readonly Step[], unfolded: boolean): Section {
  const head = ['Only observed: what follows differs, and is not written.', '', ...tableHead('', 'object', 'change')];
  return section(head, objectRows(observed, unfolded), 4);
}

function heldSection(held: readonly Step[], unfolded: boolean): Section {
  const head = ['Held up: what follows is refused, and is not written.', '', ...tableHead('', 'object', 'change')];
  return section(head, objectRows(held, unfolded), 4);
}

const tableHead = (...cells: string[]): string[] => [tableRow(cells), tableRow(cells.map(() => '---'))];

function changeCell(shown: ShownChange): string {
  if ('line' in shown) return code(shown.line);
  const { heading, from, to } = shown;
  const lines = [heading, ...(from === undefined ? [] : [`- ${from}`]), ...(to === undefined ? [] : [`+ ${to}`])];
  return lines.map(code).join('<br>');
}

function refusalItem({ rail, message, places, remedy, override }: Refusal): string {
  const token = override === undefined ? '' : ` Override: ${code(override)}.`;
  const where = places === undefined ? '' : ` Declared at: ${code(placesWords(places))}.`;
  return `- **Refused** (${rail}): ${code(message)}.${where} Remedy: ${code(remedy)}.${token}`;
}

function noteItem({ object, message }: Note): string {
  return `- ${code(object)} ${code(message)}`;
}

/**
 * A code span that shows the text as it is and that nothing in the text can end. GitHub and GitLab make no links,
 * mentions and references of what is code.
 */
function code(text: string): string {
  const shown = visible(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  // A span needs something in it, and a blank keeps a backtick at either end apart from the fence.
  const padded = shown === '' || /^[` ]|[` ]$/.test(shown) ? ` ${shown} ` : shown;
  return `${fence}${padded}${fence}`;
}

/**
 * A row of a table. A pipe must be escaped in a cell even within code, and backslashes right before it are doubled so
 * that they do not undo that; they stay doubled where they are shown, the one case in which a cell differs from its text.
 */
function tableRow(cells: readonly string[]): string {
  return `| ${cells.map(escapePipes).join(' | ')} |`;
}

function escapePipes(cell: string): string {
  return cell.replace(/\\*\|/g, (match) => `${'\\\\'.repeat(match.length - 1)}\\|`);
}
