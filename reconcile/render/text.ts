import type { Plan } from '../model/plan.ts';
import { missing, type Note, type Refusal, type Step } from '../model/step.ts';
import { accessWords } from '../review/words.ts';
import { closingLine, count, placesWords, undeclaredLine, undeclaredNames } from './closing.ts';
import { editWords, showChange } from './field-change.ts';
import { type Fold, foldAlike, foldWords, type Group, groupByObject, markOf, paintMark } from './groups.ts';
import { type Palette, plainPalette } from './palette.ts';
import { visible } from './visible.ts';

export interface TextOptions {
  /** Default: no colour. */
  palette?: Palette;
  /** Writes the token of an override as the front end at hand takes it: `--override protected:Person/ada`. */
  describeOverride?: (token: string) => string;
  /** The command that shows the whole of what is folded because it is alike; undefined shows it all. */
  unfold?: string;
}

/**
 * A plan for a terminal or a log, grouped by object and marked as Terraform's users know it. Nothing that stands in a
 * definition or came from the service can act on the terminal.
 *
 * @returns lines without a line break at the end
 */
export function renderText(plan: Plan, options: TextOptions = {}): string {
  const { palette = plainPalette, describeOverride = (token) => `by the token ${token}`, unfold } = options;
  const sections = [
    workspaceLine(plan, palette),
    stepLines(plan.steps, palette, unfold),
    accessLines(plan, palette, unfold),
    observedLines(plan.observed, palette, unfold),
    noteLines(plan.notes, palette),
    heldLines(plan.held, palette, unfold),
    refusalLines(plan.refusals, palette, describeOverride),
    undeclaredLines(plan, palette),
    undeclaredLine(plan),
    palette.strong(closingLine(plan)),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function workspaceLine({ workspace: { name, url } }: Plan, { strong }: Palette): string {
  return `Workspace ${strong(visible(name === undefined ? url : `${name} (${url})`))}`;
}

function stepLines(steps: readonly Step[], palette: Palette, unfold: string | undefined): string {
  const groups = groupByObject(steps);
  return (unfold === undefined ? groups : foldAlike(groups))
    .flatMap((group) => ('names' in group ? [foldLine(group, palette, unfold)] : groupLines(group, palette)))
    .join('\n');
}

/** So many names are read in a line; the count says the rest. */
const mostNames = 12;

function foldLine(fold: Fold, palette: Palette, unfold = ''): string {
  const words = foldWords(fold, mostNames, visible);
  return `${paintMark(fold.mark, palette)} ${palette.strong(words)}  ${palette.dim(`# ${unfold}`)}`;
}

/** An object with one call takes one line, so that a plan of many small changes can be read at a glance. */
function groupLines({ object, mark, steps }: Group, palette: Palette): string[] {
  const heading = `${paintMark(mark, palette)} ${palette.strong(visible(object))}`;
  const [only, ...others] = steps;
  if (only !== undefined && others.length === 0 && mark === markOf(only))
    return stepText(`${heading}: `, only, palette);
  return [heading, ...steps.flatMap((step) => stepText(`    ${paintMark(markOf(step), palette)} `, step, palette))];
}

function stepText(lead: string, step: Step, palette: Palette): string[] {
  const edit = editWords(step);
  if (edit !== undefined) return [`${lead}${edit}`];
  // That what is declared and missing is made goes without saying; a plan of a thousand lines need not say it on each.
  const reason = step.reason === missing ? '' : `  ${palette.dim(`# ${visible(step.reason)}`)}`;
  const line = `${lead}${visible(step.summary)}${reason}`;
  return [line, ...(step.changes ?? []).flatMap((change) => changeLines(showChange(change), palette))];
}

/** So many lines are read at a glance. */
const mostAccessLines = 20;

function accessLines({ access, createdAt }: Plan, { strong }: Palette, unfold: string | undefined): string {
  const lines = access === undefined ? [] : accessWords(access, visible, createdAt);
  if (lines.length === 0) return '';
  const most = unfold === undefined ? lines.length : mostAccessLines;
  const left = lines.length - most;
  const rest = left > 0 ? [`  and ${count(left, 'line')} more: ${unfold ?? ''}`] : [];
  return [strong('Access:'), ...lines.slice(0, most).map((line) => `  ${line}`), ...rest].join('\n');
}

const indent = ' '.repeat(10);

function changeLines(shown: ReturnType<typeof showChange>, { create, remove }: Palette): string[] {
  if ('line' in shown) return [`${indent}${shown.line}`];
  return [
    `${indent}${shown.heading}`,
    ...(shown.from === undefined ? [] : [`${indent}  ${remove(`- ${shown.from}`)}`]),
    ...(shown.to === undefined ? [] : [`${indent}  ${create(`+ ${shown.to}`)}`]),
  ];
}

function observedLines(observed: readonly Step[], palette: Palette, unfold: string | undefined): string {
  if (observed.length === 0) return '';
  const heading = palette.strong('Only observed: what follows differs, and is not written.');
  return `${heading}\n${stepLines(observed, palette, unfold)}`;
}

function heldLines(held: readonly Step[], palette: Palette, unfold: string | undefined): string {
  if (held.length === 0) return '';
  const heading = palette.strong('Held up: what follows is refused, for the reasons below, and is not written.');
  return `${heading}\n${stepLines(held, palette, unfold)}`;
}

function undeclaredLines(plan: Plan, { strong }: Palette): string {
  const names = undeclaredNames(plan);
  if (names.length === 0) return '';
  const lines = names.map(({ what, name }) => `  ${what} ${visible(name)}`);
  return [strong('In the workspace, and not declared:'), ...lines].join('\n');
}

function noteLines(notes: readonly Note[], palette: Palette): string {
  return notes.map(({ object, message }) => palette.dim(`Note: ${visible(object)} ${visible(message)}.`)).join('\n');
}

function refusalLines(
  refusals: readonly Refusal[],
  palette: Palette,
  describeOverride: (token: string) => string,
): string {
  return refusals
    .map(({ rail, message, places, remedy, override }) =>
      [
        `${palette.remove('Refused')} (${rail}): ${visible(message)}.`,
        ...(places === undefined ? [] : [`  Declared at: ${visible(placesWords(places))}`]),
        `  Remedy: ${visible(remedy)}.`,
        ...(override === undefined ? [] : [`  Override: ${visible(describeOverride(override))}`]),
      ].join('\n'),
    )
    .join('\n\n');
}
