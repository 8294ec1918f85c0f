import type { Issue } from '../issue.ts';
import type { Definition, Source } from '../kinds/definition.ts';

/**
 * An issue that shows only after the files were read, such as when definitions are looked at together; its file is read
 * again for the position.
 */
export interface CrossIssue extends Issue {
  readonly source: Source;
}

/** How a problem points at another definition: `team/people.yaml:12`. */
export function placeOf({ source }: Pick<Definition, 'source'>): string {
  return `${source.file}:${source.line}`;
}
