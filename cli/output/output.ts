import type { ProblemCode } from '@rolecall/crds';
import { type Palette, plainPalette, printableJson, visibleLines } from '@rolecall/reconcile';
import type { WarningCode } from '../error-codes.ts';
import type { DescribedError } from '../errors.ts';
import type { Io } from '../process/io.ts';
import { colours, wantsColour } from './colours.ts';

export type Format = 'text' | 'markdown' | 'json' | 'csv' | 'html';

/** Where a command says what it has to say, in the format that was asked for. */
export interface Output {
  readonly format: Format;
  /** How text on standard output is painted. */
  readonly palette: Palette;
  /** Prints lines for people on standard output; nothing where JSON is wanted. */
  readonly say: (text: string) => void;
  /** Prints the one JSON document of the command; nothing where text is wanted. */
  readonly document: (value: unknown) => void;
  /**
   * Tells people of something that does not stop the command, on standard error.
   *
   * @param detail lines for people below the message, safe to print and painted
   */
  readonly warn: (code: WarningCode | ProblemCode, message: string, detail?: (palette: Palette) => string) => void;
}

/** Lines that are printed may be painted by then, so that what is in them must have been made `visible` before. */
export function createOutput({ stdout, stderr, env }: Io, format: Format): Output {
  const isJson = format === 'json';
  return {
    format,
    palette: format === 'text' && wantsColour(stdout, env) ? colours : plainPalette,
    say: (text) => {
      if (!isJson) stdout.write(`${text}\n`);
    },
    document: (value) => {
      if (isJson) stdout.write(`${printableJson(value)}\n`);
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

/** Tells of the error that ends the command, on standard error. */
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

function paintFor(stream: NodeJS.WriteStream, env: Io['env']): Palette {
  return wantsColour(stream, env) ? colours : plainPalette;
}
