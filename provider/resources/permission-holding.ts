import { parseTimestamp } from '@rolecall/crds';
import type { PlanRequest } from '../framework/resource.ts';
import type { Value } from '../values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { hold } from './holding.ts';
import { windowOf } from './permission-window.ts';
import { textOf } from './values.ts';

/**
 * Notes that a resource is to have the permission of a pair and a window, as far as all of that is known.
 *
 * @throws DiagnosticError when another resource of the same plan is to have it too
 */
export function holdPermission(
  request: Pick<PlanRequest, 'prior' | 'planned' | 'private'>,
  workspace: Workspace,
): void {
  const { prior, planned } = request;
  const parts = partsOf({ ...planned, ...windowOf(planned, prior ?? undefined).known });
  if (parts === undefined) return;
  const [person, dataSource, from, until] = parts;
  const what = `the permission of ${person} on ${dataSource} from ${from} until ${until}`;
  hold(`permission ${parts.join(' ')}`, { what, path: ['person_id'] }, request, workspace);
}

function partsOf(next: Readonly<Record<string, Value>>) {
  const [person, dataSource] = [textOf(next, 'person_id'), textOf(next, 'data_source_id')];
  const [from, until] = [textOf(next, 'starts_at'), textOf(next, 'expires_at')];
  if (person === undefined || dataSource === undefined || from === undefined || until === undefined) return undefined;
  return [person, dataSource, parseTimestamp(from), parseTimestamp(until)] as const;
}
