import { malformed } from '../refusal.ts';

/** No operation takes anything deeper than an array in an object. */
const deepest = 32;

/**
 * Reads a JSON body more strictly than JSON.parse does: a name that comes twice in an object is refused, since two
 * readers could take different ones for true, and so is what is nested deeper than any operation needs.
 *
 * @throws Refusal malformed_request, which names the position or the field
 */
export function parseJsonBody(text: string): unknown {
  const value = parse(text);
  checkStructure(text);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position [0-9]+/.exec(error instanceof Error ? error.message : '')?.[0];
    throw malformed(`the body is not JSON${position === undefined ? '' : `: there is an error ${position}`}`);
  }
}

/** Goes over text that is known to be JSON: outside of strings only its brackets, colons and commas matter. */
function checkStructure(text: string): void {
  /** The names so far of each object around the position; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > deepest) throw malformed(`the body is nested more than ${deepest} deep, at position ${at}`);
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === '"') {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (names !== undefined && isName(text, end)) noteName(names, text.slice(at, end));
      at = end - 1;
    }
  }
}

/** The position after the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (' \t\r\n'.includes(text[at] ?? '.')) at += 1;
  return text[at] === ':';
}

function noteName(names: Set<string>, quoted: string): void {
  const name = String(JSON.parse(quoted));
  if (names.has(name)) {
    const path = name.slice(0, 100);
    throw malformed(`the field ${path} is given twice`, [{ path, message: 'is given twice' }]);
  }
  names.add(name);
}
