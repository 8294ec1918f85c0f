import { type Progress, visible } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { drawBar } from './progress-bar.ts';

/** Shows steps as they end. */
export interface ProgressDisplay {
  report: (progress: Progress) => void;
  /** Takes the bar away. */
  end: () => void;
}

/** One line for each step as it ends; on a terminal a bar below them too. Nothing in JSON mode. */
export function createProgress({ io: { stdout }, output }: Context): ProgressDisplay {
  if (output.format === 'json') return { report: () => undefined, end: () => undefined };
  let bar = '';
  return {
    report(progress) {
      // Those that do not run are listed at the end, with the reason; there may be thousands of them.
      if (progress.outcome === 'not-run') return;
      const lines = `${bar === '' ? '' : wipe}${lineOf(progress, output.palette)}\n`;
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

/** After so long somebody on a terminal wonders, in milliseconds. */
const patienceMs = 1000;

/** So often the line is written anew at most, in milliseconds. */
const intervalMs = 200;

/** Shows on a terminal that the workspace is being read, and how far; nothing elsewhere. Disposing takes it away. */
export function showReading({ io: { stderr }, output }: Context): { count: () => void } & Disposable {
  const isShown = stderr.isTTY && output.format !== 'json';
  const begun = performance.now();
  let [calls, toldAt] = [0, 0];
  let isOver = false;
  return {
    count() {
      calls += 1;
      const now = performance.now();
      if (!isShown || isOver || now - begun < patienceMs || now - toldAt < intervalMs) return;
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

/** Back to the beginning of the line, and clears it. */
const wipe = '\r\u001b[2K';

function lineOf({ step, outcome, error, ended, total }: Progress, palette: Context['output']['palette']): string {
  const place = palette.dim(`${String(ended).padStart(String(total).length)}/${total}`);
  const summary = visible(step.summary);
  if (outcome === 'done') return `${place} ${palette.create('done')}    ${summary}`;
  return `${place} ${palette.remove('failed')}  ${summary}: ${visible(error?.message ?? '')}`;
}
