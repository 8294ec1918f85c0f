import { mapping } from '@rolecall/crds';
import { type Palette, visible } from '@rolecall/reconcile';
import type { ServiceOptions } from '@rolecall/server';
import type { Context } from '../command.ts';

/** Chooses the log of a process: JSON lines on standard error, text on a terminal. */
export function logTo({ io, output }: Context, level: string): NonNullable<ServiceOptions['logger']> {
  if (level === 'silent') return false;
  const stream = io.stderr.isTTY && output.format === 'text' ? linesForPeople(io.stderr, output.palette) : io.stderr;
  return { level, stream };
}

/** Writes the log for people: a line for each record instead of JSON. */
export function linesForPeople(stream: { write: (text: string) => unknown }, palette: Palette) {
  return {
    write(json: string): void {
      stream.write(`${lineOf(json, palette)}\n`);
    },
  };
}

const [warningLevel, errorLevel] = [40, 50];

function lineOf(json: string, { dim, change, remove }: Palette): string {
  const record = mapping(parseJson(json));
  const { time, level, err } = record;
  if (typeof time !== 'number' || typeof level !== 'number') return visible(json.trimEnd());
  const formatField = (name: string, prefix = '', after = ''): string[] => {
    const value = record[name];
    return typeof value === 'string' || typeof value === 'number' ? [`${prefix}${value}${after}`] : [];
  };
  const request = [
    formatField('method'),
    formatField('path'),
    formatField('status'),
    formatField('ms', '', ' ms'),
    formatField('keyId', 'key '),
  ].flat();
  const message = record['msg'] === 'request' ? [] : formatField('msg');
  const cause = mapping(err)['message'];
  const text = [...request, ...message, ...(typeof cause === 'string' ? [`(${cause})`] : [])].join(' ');
  const mark = level >= errorLevel ? [remove('error:')] : level >= warningLevel ? [change('warning:')] : [];
  return [dim(new Date(time).toTimeString().slice(0, 8)), ...mark, visible(text)].join(' ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
