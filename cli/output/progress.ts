import { type Progress, visible } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { describeStepError } from '../workspace/describe-call.ts';

/** Shows how far a run is. */
export interface ProgressDisplay {
  report: (progress: Progress) => void;
  /** Removes the bar. */
  end: () => void;
}

export interface ProgressOptions {
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  /** The plan was shown by someone else, so no empty line goes before the first line. */
  readonly planShown?: boolean;
}

/** The most failures that are shown as they occur; the result counts all of them. */
const mostFailures = 20;

/** The time between two lines in a log, in milliseconds. */
const logIntervalMs = 10_000;

/** The time between two pictures of the bar, in milliseconds. */
const barIntervalMs = 100;

/**
 * On a terminal a bar, in a log a line every ten seconds, and the first failures as they occur, so that the output does not grow
 * with the run; with `verbose` a line for each step as it ends. Nothing in JSON mode.
 */
export function createProgress(
  context: Context,
  { verbose = false, quiet = false, planShown = false }: ProgressOptions = {},
): ProgressDisplay {
  if (context.output.format === 'json' || quiet) return { report: () => undefined, end: () => undefined };
  const shown = new RunProgress(context, verbose, planShown ? '' : '\n');
  return {
    report: (progress) => {
      shown.report(progress);
    },
    end: () => {
      shown.end();
    },
  };
}

class RunProgress {
  readonly #context: Context;
  readonly #isVerbose: boolean;
  readonly #timer: NodeJS.Timeout;
  #failures = 0;
  #ended = 0;
  #total = 0;
  #bar = '';
  /** Before the first line. */
  #gap: string;

  constructor(context: Context, isVerbose: boolean, gap: string) {
    this.#context = context;
    this.#isVerbose = isVerbose;
    this.#gap = gap;
    const { isTTY } = context.io.stdout;
    // By the clock and not by calls: one that takes a minute is when the reader wants to know.
    this.#timer = setInterval(
      () => {
        if (isTTY) this.#draw('');
        else if (!isVerbose) context.output.say(this.#summary());
      },
      isTTY ? barIntervalMs : logIntervalMs,
    ).unref();
  }

  report(progress: Progress): void {
    // Thousands of steps may not run because one failed; they are counted at the end, with the reason.
    if (progress.outcome === 'not-run') return;
    this.#ended = progress.ended;
    this.#total = progress.total;
    const isFailure = progress.outcome === 'failed';
    if (isFailure) this.#failures += 1;
    const { output, connection, io } = this.#context;
    if (this.#isVerbose || (isFailure && this.#failures <= mostFailures)) {
      const line = `${this.#gap}${lineOf(progress, output.palette, connection)}\n`;
      this.#gap = '';
      if (io.stdout.isTTY) this.#draw(line);
      else io.stdout.write(line);
    } else if (io.stdout.isTTY && this.#bar === '') {
      // A run that ends before the first interval has a bar too.
      this.#draw('');
    }
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#bar !== '') this.#context.io.stdout.write(wipe);
    this.#bar = '';
  }

  /** In one write, so that the bar does not flicker. */
  #draw(line: string): void {
    const { stdout } = this.#context.io;
    const bar = this.#total === 0 ? '' : drawBar(this.#ended, this.#total, stdout.columns || 80);
    if (line === '' && bar === this.#bar) return;
    stdout.write(`${this.#bar === '' ? '' : wipe}${line}${bar}`);
    this.#bar = bar;
  }

  #summary(): string {
    const failed = this.#failures === 0 ? '' : `, ${this.#failures} failed`;
    return `${this.#ended} of ${this.#total} calls made${failed}`;
  }
}

/** Milliseconds that reading takes before its progress is shown. */
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

/** The widest that a bar is drawn, without the numbers beside it. */
const widest = 40;

/** `[=====>     ] 12/40`, never wider than the terminal: a line that wraps could not be wiped again. */
export function drawBar(ended: number, total: number, columns: number): string {
  const numbers = ` ${ended}/${total}`;
  const width = Math.min(widest, columns - numbers.length - 3);
  if (width < 4) return numbers.trim().slice(0, Math.max(0, columns - 1));
  const filled = Math.floor((ended / total) * width);
  const head = filled < width ? '>' : '';
  return `[${'='.repeat(filled)}${head}${' '.repeat(width - filled - head.length)}]${numbers}`;
}
