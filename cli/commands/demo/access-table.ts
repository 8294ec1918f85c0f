import { formatTable } from '../../output/table.ts';
import type { Access, Way } from './access.ts';

/** A table of who reaches what; the person stands in the first of their rows only. */
export function describeAccess(access: readonly Access[]): string {
  const rows = access.map(({ person, isLocked, dataSource, ways }, index) => {
    const isFirst = access[index - 1]?.person !== person;
    const name = isLocked ? `${person} (locked out)` : person;
    return [isFirst ? name : '', dataSource, ways.map(describeThrough).join(', '), describeEnd(ways)];
  });
  return formatTable(['person', 'reaches', 'through', 'until'], rows);
}

function describeThrough(way: Way): string {
  return 'role' in way ? `role ${way.role}` : 'permission';
}

/** What a role gives lasts, whatever else ends. */
function describeEnd(ways: readonly Way[]): string {
  const ends = ways.map((way) => ('until' in way ? way.until : undefined));
  if (ends.includes(undefined)) return '(as long as in the role)';
  return (
    ends
      .sort()
      .at(-1)
      ?.replace(/:\d\d\.\d{3}Z$/, 'Z') ?? ''
  );
}
