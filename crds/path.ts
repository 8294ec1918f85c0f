/** The path of a value in a document: keys of mappings and positions in lists, from the top. */

export type Path = readonly (string | number)[];

/** Formats a path for messages: `spec.people[2]`, `metadata.annotations["rolecall.dev/paused"]`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (!/^[A-Za-z_$<][\w$<-]*$/.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}

/** The value at a path of a parsed document, or undefined if there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}
