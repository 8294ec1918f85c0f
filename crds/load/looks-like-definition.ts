/** Recognises files that hold definitions although their names do not say so. */

import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';

/** Bytes of a file that are looked at. */
const headBytes = 4096;

/** `apiVersion: rolecall.dev/…` at the beginning of a line or of a mapping, in YAML, JSON or Jsonnet. */
const ours = /(?:^|[{,])[ \t]*(?:- )?["']?apiVersion["']?[ \t]*:[ \t]*["']?rolecall\.dev\//m;

/** Beginning of the first line of a definition, after comments. Prose, scripts and programs begin otherwise. */
const opening = /^[{[]|^(?:- )?["']?(?:apiVersion|kind|metadata|spec|items)\b/;

/**
 * True if the beginning of a file has the apiVersion of Rolecall, and either its name or its first line is that of a definition.
 * A page or a script that only shows one does not look like one.
 */
export function looksLikeDefinition(file: string): boolean {
  const head = headOf(file);
  if (!ours.test(head)) return false;
  if (/\.(?:ya?ml|json)/i.test(basename(file))) return true;
  const first = head.split('\n').find((line) => !/^\s*(?:$|#|\/\/|---|%)/.test(line));
  return first !== undefined && opening.test(first.trimStart());
}

/** The beginning of a regular file; empty if it cannot be read, as it is not to be read anyway. */
function headOf(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(headBytes);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, headBytes, 0)).replace(/^\uFEFF/, '');
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
