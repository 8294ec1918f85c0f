/** Leaves out of a JSON text what an API server notes about who wrote which field: more than half of a list, and of no use here. */

const key = '"managedFields":[';

/**
 * Empties every list of that name, wherever it stands. A text cannot have the key in one of its strings: there its quotes are escaped.
 *
 * @param json valid JSON; where it is not, the result is not either
 */
export function withoutManagedFields(json: string): string {
  let kept = '';
  let from = 0;
  for (let at = json.indexOf(key); at !== -1; at = json.indexOf(key, from)) {
    const begin = at + key.length;
    kept += json.slice(from, begin);
    from = endOfList(json, begin);
  }
  return kept + json.slice(from);
}

const [quote, backslash, open, close] = [0x22, 0x5c, 0x5b, 0x5d];

/** The place of the bracket that closes the list whose content begins at `index`. */
function endOfList(json: string, index: number): number {
  let depth = 0;
  let isText = false;
  for (let at = index; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === backslash) at += 1;
    else if (character === quote) isText = !isText;
    else if (isText) continue;
    else if (character === open) depth += 1;
    else if (character === close) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return json.length;
}
