import type { ProblemCode } from '@rolecall/crds';
import {
  type Palette,
  plainPalette,
  printableJson,
  visibleLines,
  writePrintableJson,
} from '@rolecall/reconcile/render';
import type { WarningCode } from '../error-codes.ts';
import type { DescribedError } from '../errors.ts';
import { type Environment, type Io, type OutputStream, variable } from '../process/io.ts';

export type Format = 'text' | 'markdown' | 'json' | 'csv' | 'html' | 'table' | 'ndjson';

/** Prints the results and warnings of a command in the chosen format. */
export interface Output {
  readonly format: Format;
  /** The colours of text on standard output. */
  readonly palette: Palette;
  /** Prints lines for people on standard output; nothing with JSON. */
  readonly say: (text: string) => void;
  /** Prints the one JSON document of the command; nothing with text. */
  readonly document: (value: unknown) => void;
  /**
   * Prints a warning on standard error.
   *
   * @param detail lines for people below the message, coloured and safe to print
   */
  readonly warn: (code: WarningCode | ProblemCode, message: string, detail?: (palette: Palette) => string) => void;
}

/** Lines given to `say` may contain colours, so the caller must have made their content `visible` first. */
export function createOutput({ stdout, stderr, env }: Io, format: Format): Output {
  const isJson = format === 'json';
  return {
    format,
    palette: (format === 'text' || format === 'table') && wantsColour(stdout, env) ? colours : plainPalette,
    say: (text) => {
      if (!isJson) stdout.write(`${text}\n`);
    },
    document: (value) => {
      if (!isJson) return;
      writePrintableJson(value, (piece) => stdout.write(piece));
      stdout.write('\n');
    },
    warn: (code, message, detail) => {
      if (isJson) {
        stderr.write(`${printableJson({ warning: { code, message } }, 0)}\n`);
        return;
      }
      const palette = paintFor(stderr, env);
      const below = detail === undefined ? '' : `${detail(palette)}\n`;
      stderr.write(`${palette.change('warning:')} ${visibleLines(message)}\n${below}`);
    },
  };
}

/** Prints the error that ends the command, on standard error. */
export function printError(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  isJson: boolean,
  { code, message, details, render }: DescribedError,
): void {
  if (isJson) {
    stderr.write(`${printableJson({ error: { code, message, ...details } }, 0)}\n`);
    return;
  }
  const palette = paintFor(stderr, env);
  stderr.write(`${palette.remove('error:')} ${render?.(palette) ?? visibleLines(message)}\n`);
}

function paintFor(stream: OutputStream, env: Io['env']): Palette {
  return wantsColour(stream, env) ? colours : plainPalette;
}

/** True if text for this stream is coloured: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise. */
function wantsColour(stream: { isTTY?: boolean }, env: Environment): boolean {
  const forced = variable(env, 'FORCE_COLOR');
  // Node itself lets FORCE_COLOR win over NO_COLOR.
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (variable(env, 'NO_COLOR') !== undefined || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true;
}

const paint =
  (begin: number, end: number) =>
  (text: string): string =>
    `\u001b[${begin}m${text}\u001b[${end}m`;

/** The colours that Terraform's users know. */
const colours: Palette = {
  create: paint(32, 39),
  change: paint(33, 39),
  remove: paint(31, 39),
  replace: paint(35, 39),
  strong: paint(1, 22),
  dim: paint(2, 22),
};
