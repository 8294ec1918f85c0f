import type { Plan } from '../plan.ts';
import type { Note, Refusal, Step } from '../step.ts';
import { closingLine } from './closing.ts';
import { type ShownChange, showChange } from './field-change.ts';
import { groupByObject, markOf } from './groups.ts';
import { code, tableRow } from './markdown-code.ts';

/**
 * A plan as Markdown for a comment or a report: what it refuses, then a table of the calls by object. Whatever stands in
 * a definition or came from the service is a code span, in which no mark-up, link or mention works. Nothing is cut.
 */
export function renderMarkdown(plan: Plan): string {
  const { name, url } = plan.workspace;
  const sections = [
    '### Rolecall plan',
    `Workspace ${name === undefined ? code(url) : `${code(name)} (${code(url)})`}`,
    `**${closingLine(plan)}**`,
    list(plan.refusals.map(refusalItem)),
    table(plan.steps),
    observedTable(plan.observed),
    list(plan.notes.map(noteItem)),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function table(steps: readonly Step[]): string {
  if (steps.length === 0) return '';
  const rows = groupByObject(steps).flatMap(({ object, steps: own }) =>
    // The object stands in its first row only, as a heading would.
    own.map((step, index) => tableRow([markOf(step), index === 0 ? code(object) : '', what(step), code(step.reason)])),
  );
  return [tableRow(['', 'object', 'call', 'why']), tableRow(['---', '---', '---', '---']), ...rows].join('\n');
}

function what({ summary, changes = [] }: Step): string {
  return [code(summary), ...changes.map((change) => changeCell(showChange(change)))].join('<br>');
}

function changeCell(shown: ShownChange): string {
  if ('line' in shown) return code(shown.line);
  const { heading, from, to } = shown;
  const lines = [heading, ...(from === undefined ? [] : [`- ${from}`]), ...(to === undefined ? [] : [`+ ${to}`])];
  return lines.map(code).join('<br>');
}

function observedTable(observed: readonly Step[]): string {
  return observed.length === 0 ? '' : `Only observed: what follows differs, and is not written.\n\n${table(observed)}`;
}

function refusalItem({ rail, message, remedy, override }: Refusal): string {
  const token = override === undefined ? '' : ` Override: ${code(override)}.`;
  return `**Refused** (${rail}): ${code(message)}. Remedy: ${code(remedy)}.${token}`;
}

function noteItem({ object, message }: Note): string {
  return `${code(object)} ${code(message)}`;
}

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
