import { csvOf } from '../../output/csv.ts';
import { formatTable } from '../../output/table.ts';
import { nameOf } from './access-rows.ts';
import type { Ending } from './expiring.ts';
import { shortTime } from './short-time.ts';

/** A table for people: what ends first stands first. */
export function expiringText(endings: readonly Ending[], from: Date, to: Date): string {
  const until = shortTime(to.toISOString());
  if (endings.length === 0) return `No one loses access until ${until}.`;
  const rows = endings.map(({ person, dataSource, startsAt, expiresAt }) => [
    shortTime(expiresAt),
    distance(Date.parse(expiresAt) - from.getTime()),
    person.username,
    nameOf(dataSource),
    shortTime(startsAt),
  ]);
  const often = endings.length === 1 ? 'once' : `${endings.length} times`;
  return `${formatTable(['ends', 'in', 'person', 'data source', 'since'], rows)}\n\nUntil ${until} access ends ${often}.`;
}

/** The same as CSV. */
export function expiringCsv(endings: readonly Ending[]): string {
  return csvOf(endings, {
    expires_at: ({ expiresAt }) => expiresAt,
    starts_at: ({ startsAt }) => startsAt,
    username: ({ person }) => person.username,
    name: ({ person }) => person.name,
    data_source_alias: ({ dataSource }) => dataSource.alias ?? '',
    data_source_name: ({ dataSource }) => dataSource.name,
  });
}

/** `2d 3h`, `45m`. */
function distance(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'm'],
  ] as const;
  const shown = parts.filter(([number]) => number > 0).slice(0, 2);
  return shown.map(([number, unit]) => `${number}${unit}`).join(' ');
}
