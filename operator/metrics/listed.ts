/** Which resources have been listed, by the answers of the API server: a collection that is watched has been listed as a whole. */

import { resourceOf } from '../runtime/resource-path.ts';

export interface Listed {
  /** From here on these are to be listed, each by its name: `people.rolecall.dev`. */
  readonly expect: (resources: Iterable<string>) => void;
  /** An API server answered a request for a path. */
  readonly answered: (path: string, status: number | undefined) => void;
  readonly missing: () => readonly string[];
}

export function createListed(): Listed {
  let missing = new Set<string>();
  return {
    expect: (resources) => {
      missing = new Set(resources);
    },
    answered: (path, status) => {
      if (missing.size === 0 || status === undefined || status >= 300 || !/[?&]watch=1/.test(path)) return;
      missing.delete(resourceOf(path) ?? '');
    },
    missing: () => [...missing],
  };
}
