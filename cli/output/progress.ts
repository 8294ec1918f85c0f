import { type Progress, visible } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { describeStepError } from '../workspace/describe-call.ts';
import { drawBar } from './progress-bar.ts';

/** Shows steps as they end. */
export interface ProgressDisplay {
  report: (progress: Progress) => void;
  /** Removes the bar. */
  end: () => void;
}

/** One line for each step as it ends; on a terminal a bar below them too. Nothing in JSON mode. */
export function createProgress({ io: { stdout }, output, connection }: Context): ProgressDisplay {
  if (output.format === 'json') return { report: () => undefined, end: () => undefined };
  let bar = '';
  return {
    report(progress) {
      // Thousands of steps may not run because one failed; they are listed at the end, with the reason.
      if (progress.outcome === 'not-run') return;
      const lines = `${bar === '' ? '' : wipe}${lineOf(progress, output.palette, connection)}\n`;
      bar = stdout.isTTY ? drawBar(progress.ended, progress.total, stdout.columns || 80) : '';
      // In one write, so that the bar does not flicker.
      stdout.write(`${lines}${bar}`);
    },
    end() {
      if (bar !== '') stdout.write(wipe);
      bar = '';
    },
  };
}

/** How long reading takes before its progress is shown, in milliseconds. */
const showAfterMs = 1000;

/** The shortest time between two updates of the line, in milliseconds. */
const intervalMs = 200;

/** Shows on a terminal how many calls reading the workspace has made; nothing elsewhere. Disposing removes the line. */
export function showReading({ io: { stderr }, output }: Context): { count: () => void } & Disposable {
  const isShown = stderr.isTTY && output.format !== 'json';
  const begun = performance.now();
  let [calls, toldAt] = [0, 0];
  let isOver = false;
  return {
    count() {
      calls += 1;
      const now = performance.now();
      if (!isShown || isOver || now - begun < showAfterMs || now - toldAt < intervalMs) return;
      toldAt = now;
      const seconds = Math.floor((now - begun) / 1000);
      stderr.write(`${wipe}Reading the workspace: ${calls} calls in ${seconds} s`);
    },
    [Symbol.dispose]() {
      isOver = true;
      if (toldAt > 0) stderr.write(wipe);
    },
  };
}

/** Moves to the beginning of the line and clears it. */
const wipe = '\r\u001b[2K';

function lineOf(
  { step, outcome, error, ended, total }: Progress,
  palette: Context['output']['palette'],
  connection: Context['connection'],
): string {
  const place = palette.dim(`${String(ended).padStart(String(total).length)}/${total}`);
  const summary = visible(step.summary);
  if (outcome === 'done') return `${place} ${palette.create('done')}    ${summary}`;
  const cause = error === undefined ? '' : visible(describeStepError(error, connection));
  return `${place} ${palette.remove('failed')}  ${summary}: ${cause}`;
}
