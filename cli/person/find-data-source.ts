import type { Access } from '@rolecall/api';
import { nearest } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import { AccessEndedError, CliError } from '../errors.ts';

type Source = Access['dataSource'];

/**
 * Finds a data source that the person reaches, by its alias, its name or its id.
 *
 * @param sources the person's access to each data source that they reach, will reach or have lost
 * @throws CliError with the nearest name, or with the ids where several have the name; AccessEndedError
 */
export function findDataSource(wanted: string, sources: readonly Access[]): Source {
  const matching = matches(wanted, sources);
  const reached = matching.filter(({ allowed }) => allowed);
  const [match] = reached;
  if (reached.length > 1) {
    const ids = reached.map(({ dataSource }) => dataSource.id).join(', ');
    throw new CliError('ERR_NOT_FOUND', `several data sources have the name ${visible(wanted)}: give an id (${ids})`);
  }
  if (match !== undefined) return match.dataSource;
  const [lost] = matching;
  if (lost !== undefined) throw new AccessEndedError(whyNot(lost));
  const allowed = sources.filter((source) => source.allowed);
  const near = nearest(
    wanted,
    allowed.flatMap(({ dataSource: { alias, name } }) => (alias === null ? [name] : [alias, name])),
  );
  const hint = near === undefined ? 'rolecall access lists those that you reach' : `did you mean ${visible(near)}?`;
  throw new CliError('ERR_NOT_FOUND', `you reach no data source ${visible(wanted)}; ${hint}`);
}

/** An alias is unique, and wins over a name. */
function matches(wanted: string, sources: readonly Access[]): Access[] {
  for (const key of ['alias', 'name', 'id'] as const) {
    const matching = sources.filter(({ dataSource }) => dataSource[key]?.normalize() === wanted.normalize());
    if (matching.length > 0) return matching;
  }
  return [];
}

function whyNot({ dataSource: { alias, name }, detail, upcoming: [next] }: Access): string {
  if (next !== undefined) return `your access to ${alias ?? name} begins only at ${next.startsAt}`;
  return detail ?? `your access to ${alias ?? name} has ended`;
}
