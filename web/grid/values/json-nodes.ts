/** A number with the digits that it was written with. */
export class JsonNumber {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

export type JsonNode =
  | string
  | boolean
  | null
  | JsonNumber
  | readonly JsonNode[]
  | { readonly [key: string]: JsonNode };

/** Parsing more makes the page slow; it is shown as text. */
const longest = 4_000_000;

/** A JSON list or object, with all digits of its numbers; undefined for any other text. */
export function parseTree(text: string): JsonNode | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > longest) return undefined;
  try {
    return JSON.parse(text, keepDigits) as JsonNode;
  } catch {
    return undefined;
  }
}

/** Browsers give the text of a number since 2024 or 2025; the others give the number. */
function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value;
}

/** The members of a list or an object; undefined for a value that has none. */
export function membersOf(node: JsonNode): [string, JsonNode][] | undefined {
  if (node === null || typeof node !== 'object' || node instanceof JsonNumber) return undefined;
  return Object.entries(node);
}
