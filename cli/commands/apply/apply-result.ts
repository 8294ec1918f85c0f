import { type Converged, type Failure, type Palette, type Step, visible } from '@rolecall/reconcile';
import { codeOf } from '../../errors.ts';
import { counted } from '../../output/words.ts';
import type { Connection } from '../../workspace/connection.ts';
import { describeStepError } from '../../workspace/describe-call.ts';

export type Outcome = 'done' | 'unchanged' | 'refused' | 'declined' | 'failed' | 'interrupted';

/** @param wasInterrupted whether the user asked to stop; a run that had nothing left to do by then is done */
export function outcomeOf({ failed, notRun }: Converged, wasInterrupted: boolean): Outcome {
  if (wasInterrupted && notRun.length > 0) return 'interrupted';
  return failed.length > 0 || notRun.length > 0 ? 'failed' : 'done';
}

/** Describes the result of a run: what failed and why, what did not run and why, and a summary. */
export function describeConverged(
  converged: Converged,
  outcome: Outcome,
  elapsedMs: number,
  palette: Palette,
  connection?: Connection,
): string {
  const { failed, notRun } = converged;
  const sections = [
    failed.length === 0 ? '' : [palette.remove('Failed:'), ...describeFailures(failed, connection)].join('\n'),
    notRun.length === 0 ? '' : [palette.change('Not run:'), ...describeNotRun(notRun)].join('\n'),
    palette.strong(summarise(converged, outcome, elapsedMs)),
  ];
  return `\n${sections.filter((section) => section !== '').join('\n\n')}`;
}

/** Items of a list that are shown, at most; JSON has all. */
const most = 20;

function describeFailures(failed: readonly Failure[], connection: Connection | undefined): string[] {
  const lines = failed.slice(0, most).map((failure) => describeFailure(failure, connection));
  return [...lines, ...describeRest(failed.length)];
}

function describeFailure({ step, error, ambiguous }: Failure, connection: Connection | undefined): string {
  const doubt = ambiguous ? '\n    It may have been carried out; the next plan will show.' : '';
  const cause = visible(describeStepError(error, connection));
  return `  ${visible(step.summary)} (${visible(labelOf(step))})\n    ${cause}${doubt}`;
}

/** Grouped by the cause: one failed call may hold up hundreds. */
function describeNotRun(notRun: Converged['notRun']): string[] {
  const groups = Map.groupBy(notRun, ({ because }) => because);
  const inOrder = [...groups.values()].flat().slice(0, most);
  const shown = [...Map.groupBy(inOrder, ({ because }) => because)].flatMap(([because, steps]) => [
    `  because ${visible(because)}:`,
    ...steps.map(({ step }) => `    ${visible(step.summary)} (${visible(labelOf(step))})`),
  ]);
  return [...shown, ...describeRest(notRun.length)];
}

function describeRest(total: number): string[] {
  return total > most ? [`  and ${total - most} more, which --format json lists`] : [];
}

function summarise({ done, failed, notRun }: Converged, outcome: Outcome, elapsedMs: number): string {
  const total = done.length + failed.length + notRun.length;
  const seconds = `${(elapsedMs / 1000).toFixed(1)} s`;
  if (outcome === 'done') return `Applied: ${counted(done.length, 'call')} in ${seconds}.`;
  const counts = `${done.length} of ${counted(total, 'call')} done, ${failed.length} failed, ${notRun.length} not run`;
  const next = 'What was done stays. Correct the cause and apply again: it continues from there.';
  if (outcome !== 'interrupted') return `Not all applied: ${counts}, in ${seconds}.\n${next}`;
  return `Interrupted: ${counts}, in ${seconds}.\nWhat was done stays. Apply again: it continues from there.`;
}

/** The same for JSON. */
export function convergedDocument({ done, failed, notRun }: Converged, connection?: Connection) {
  return {
    done: done.map(({ id }) => id),
    failed: failed.map(({ step, error, ambiguous }) => ({
      id: step.id,
      summary: step.summary,
      code: codeOf(error),
      message: describeStepError(error, connection),
      ambiguous,
    })),
    notRun: notRun.map(({ step, because }) => ({ id: step.id, summary: step.summary, because })),
  };
}

function labelOf({ object }: Step): string {
  return `${object.kind}/${object.name}`;
}
