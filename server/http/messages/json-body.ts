import { malformed } from '../../refusal.ts';

/** No operation takes anything deeper than an array in an object. */
const deepest = 32;

/**
 * Reads a JSON body more strictly than JSON.parse does. It refuses a name that appears twice in an object, since two readers
 * could believe different ones, and a body that is nested deeper or has more values than its operation needs. Such a body is
 * refused before it is parsed: creating and checking a million values would hold up all other requests.
 *
 * @param mostTokens how many brackets, commas and texts it may have
 * @throws Refusal malformed_request, which names the position or the field
 */
export function parseJsonBody(text: string, mostTokens: number): unknown {
  checkStructure(text, mostTokens);
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position [0-9]+/.exec(error instanceof Error ? error.message : '')?.[0];
    throw malformed(`the body is not JSON${position === undefined ? '' : `: there is an error ${position}`}`);
  }
}

/** Scans text that may be JSON: outside strings, only brackets, colons and commas matter. */
function checkStructure(text: string, mostTokens: number): void {
  /** The names so far of each object around the position; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  const token = /["{}[\],]/g;
  let count = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const { index } = match;
    const [character] = match;
    count += 1;
    if (count > mostTokens) throw malformed(`the body has more values than the operation takes, at position ${index}`);
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > deepest) throw malformed(`the body is nested more than ${deepest} deep, at position ${index}`);
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === '"') {
      const end = endOfString(text, index);
      const names = open.at(-1);
      if (names !== undefined && isName(text, end)) noteName(names, text.slice(index, end));
      token.lastIndex = end;
    }
  }
}

const [quote, backslash] = [0x22, 0x5c];

/** The position after the quote that ends the string which begins at `start`; the end of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at += 1;
  }
  return text.length;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (' \t\r\n'.includes(text[at] ?? '.')) at += 1;
  return text[at] === ':';
}

function noteName(names: Set<string>, quoted: string): void {
  const name = readName(quoted);
  if (names.has(name)) {
    const path = name.slice(0, 100);
    throw malformed(`the field ${path} is given twice`, [{ path, message: 'is given twice' }]);
  }
  names.add(name);
}

/** The name without its escapes; unchanged if it is not a JSON string, which the parser will report. */
function readName(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
