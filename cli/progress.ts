import { type Progress, visible } from '@rolecall/reconcile';
import type { Context } from './command.ts';
import { drawBar } from './progress-bar.ts';

/** Shows steps as they end. */
export interface ProgressDisplay {
  report: (progress: Progress) => void;
  /** Takes the bar away. */
  end: () => void;
}

/** How often the bar is drawn at most, in milliseconds: often enough to look alive, rarely enough to cost nothing. */
const drawEveryMs = 80;

/** One line for each step as it ends; on a terminal a bar below them too. Nothing in JSON mode. */
export function createProgress({ io: { stdout }, output }: Context): ProgressDisplay {
  if (output.format === 'json') return { report: () => undefined, end: () => undefined };
  const clear = '\r\u001b[2K';
  let isDrawn = false;
  let drawnAt = 0;
  const wipe = (): void => {
    if (isDrawn) stdout.write(clear);
    isDrawn = false;
  };
  return {
    report(progress) {
      wipe();
      output.say(lineOf(progress, output.palette));
      const now = Date.now();
      if (!stdout.isTTY || now - drawnAt < drawEveryMs) return;
      stdout.write(drawBar(progress.ended, progress.total, stdout.columns));
      isDrawn = true;
      drawnAt = now;
    },
    end: wipe,
  };
}

function lineOf({ step, outcome, error, ended, total }: Progress, palette: Context['output']['palette']): string {
  const place = palette.dim(`${String(ended).padStart(String(total).length)}/${total}`);
  const summary = visible(step.summary);
  if (outcome === 'done') return `${place} ${palette.create('done')}     ${summary}`;
  if (outcome === 'not-run') return `${place} ${palette.change('not run')}  ${summary}`;
  return `${place} ${palette.remove('failed')}   ${summary}: ${visible(error?.message ?? '')}`;
}
