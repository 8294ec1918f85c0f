import type { Permission } from '@rolecall/api';
import { type ExportedDocument, emptyPart, type LeftOut, type Part, quoted } from './document.ts';
import { firstFree, inOrder, readableName } from './names.ts';
import type { References } from './roles.ts';

/**
 * Declares the permissions beside their data source, whose owner reviews them. Ended ones are records, in a separate
 * file. Several permissions with one window become one definition, which matches all of them (docs/decisions/0006).
 */
export function composePermissions(permissions: readonly Permission[], references: References, now: Date): Part {
  const composed = emptyPart();
  const undeclared = new Map<string, number>();
  const declarable: Declarable[] = [];
  for (const permission of permissions) {
    const person = references.people.get(permission.person.id);
    const dataSource = references.dataSources.get(permission.dataSource.id);
    if (person !== undefined && dataSource !== undefined) declarable.push({ permission, person, dataSource });
    else {
      const { username } = permission.person;
      const { alias, name } = permission.dataSource;
      const missing = person === undefined ? `Person ${quoted(username)}` : `DataSource ${quoted(alias ?? name)}`;
      undeclared.set(missing, (undeclared.get(missing) ?? 0) + 1);
    }
  }
  composed.leftOut.push(...[...undeclared].map(([missing, count]) => leftOutOf(missing, count)));
  const taken = new Set<string>();
  for (const same of Map.groupBy(declarable.sort(byTime), windowKey).values()) {
    const [first] = same;
    if (first === undefined) continue;
    const base = `${first.person}-${plain(first.dataSource)}-${first.permission.startsAt.slice(0, 10)}`;
    const name = firstFree(base, (candidate) => !taken.has(candidate));
    taken.add(name);
    const isOver = Date.parse(first.permission.expiresAt) <= now.getTime();
    composed.placed.push({ file: fileOf(first, isOver), document: declare(first, name, isOver, same.length) });
  }
  return composed;
}

interface Declarable {
  permission: Permission;
  /** As definitions call it. */
  person: string;
  /** As definitions call it. */
  dataSource: string;
}

function declare(
  { permission: { startsAt, expiresAt }, person, dataSource }: Declarable,
  name: string,
  isOver: boolean,
  count: number,
): ExportedDocument {
  return {
    kind: 'Permission',
    name,
    ...(isOver ? { annotations: { 'rolecall.dev/ended': 'true' } } : {}),
    spec: { person, dataSource, startsAt: timeOf(startsAt), expiresAt: timeOf(expiresAt) },
    ...(count === 1 ? {} : { comment: [`The workspace has it ${count} times, which gives no more than once does.`] }),
  };
}

function fileOf({ dataSource }: Declarable, isOver: boolean): string {
  return `${isOver ? 'ended' : 'data-sources'}/${plain(dataSource)}.yaml`;
}

/** A data source that is not declared goes by its alias, which may be anything. */
function plain(dataSource: string): string {
  return readableName(dataSource) || 'data-source';
}

/** Without milliseconds that are zero, as people write it. */
function timeOf(time: string): string {
  return time.replace('.000Z', 'Z');
}

function leftOutOf(missing: string, count: number): LeftOut {
  return {
    what: `${count} Permission${count === 1 ? '' : 's'} of ${missing}`,
    reason: `that ${missing.startsWith('Person') ? 'person' : 'data source'} is left out`,
    remedy: 'see there',
  };
}

function windowKey({ permission: { startsAt, expiresAt }, person, dataSource }: Declarable): string {
  return [person, dataSource, startsAt, expiresAt].join('\0');
}

function byTime(a: Declarable, b: Declarable): number {
  return (
    inOrder(a.permission.startsAt, b.permission.startsAt) ||
    inOrder(a.permission.expiresAt, b.permission.expiresAt) ||
    inOrder(a.person, b.person) ||
    inOrder(a.dataSource, b.dataSource)
  );
}
