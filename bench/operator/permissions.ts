import { percentile, round } from '../report/report.ts';
import { type Installed, team } from './installed.ts';
import { patiently } from './ready.ts';
import { changes, nameOf, objects } from './size.ts';

/** Permissions that begin one after the other: how late their state says so. */
export async function measurePermissions({ cluster }: Installed) {
  const holders = Math.min(100, Math.max(1, changes));
  const begins = Date.now() + 5_000 + (objects / 100) * 1_000;
  const spread = Math.max(10_000, objects * 6);
  const starts = new Map<string, number>();
  const resources = Array.from({ length: objects }, (_, index) => {
    const startsAt = Math.round(begins + (index * spread) / objects);
    starts.set(`t-${index}`, startsAt);
    const window = { startsAt: new Date(startsAt).toISOString(), duration: '8760h' };
    return {
      kind: 'Permission',
      name: `t-${index}`,
      spec: { person: nameOf(index % holders), dataSource: 'db', ...window },
    };
  });
  const late: number[] = [];
  await using _following = await cluster.follow(team, 'Permission', ({ object }, at) => {
    const { name } = object.metadata;
    const startsAt = starts.get(name);
    if (startsAt === undefined || object.status?.state !== 'Active') return;
    starts.delete(name);
    late.push(at - startsAt);
  });
  await cluster.create(team, resources);
  await patiently(() => starts.size === 0, 100);
  return {
    permissionP99Ms: round(percentile(late, 0.99)),
    permissionMaxMs: round(Math.max(...late)),
    permissionEarliestMs: round(Math.min(...late)),
  };
}
