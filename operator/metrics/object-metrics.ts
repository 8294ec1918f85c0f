/** Counts over the custom resources themselves, made at each scrape. */

import type { Sample } from '@rolecall/api/metrics';
import { type KindName, permissionStates } from '@rolecall/crds';
import { type CustomObject, isObserved } from '../resources/custom-object.ts';
import { readyCondition } from '../status/conditions.ts';

/** All objects that are known, by kind. */
export type Objects = ReadonlyMap<KindName, () => Iterable<CustomObject>>;

const readyStates = ['True', 'False', 'Unknown', 'none'] as const;

/** The times ahead in which permissions that end are counted. */
const horizons = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;

export function countReady(objects: Objects): Sample[] {
  return [...objects].flatMap(([kind, all]) => {
    const counts = { True: 0, False: 0, Unknown: 0, none: 0 };
    // A status about an older generation says nothing about this one.
    for (const object of all()) {
      counts[(isObserved(object) ? readyCondition(object.status)?.status : undefined) ?? 'none'] += 1;
    }
    return readyStates.map((ready) => ({ labels: { kind, ready }, value: counts[ready] }));
  });
}

export function countStalled(objects: Objects): Sample[] {
  return [...objects].map(([kind, all]) => {
    let value = 0;
    for (const { status } of all())
      if (status.conditions?.some((condition) => condition.type === 'Stalled' && condition.status === 'True') === true)
        value += 1;
    return { labels: { kind }, value };
  });
}

export function countStates(objects: Objects): Sample[] {
  const counts = { Pending: 0, Active: 0, Expired: 0 };
  for (const { status } of permissionsOf(objects)) if (status.state !== undefined) counts[status.state] += 1;
  return permissionStates.map((state) => ({ labels: { state }, value: counts[state] }));
}

/** @param now milliseconds since 1970 */
export function countExpiring(objects: Objects, now: number): Sample[] {
  const ends = endsOf(objects);
  return Object.entries(horizons).map(([within, ms]) => ({
    labels: { within },
    value: ends.filter((end) => end > now && end <= now + ms).length,
  }));
}

/** @param now milliseconds since 1970 */
export function nextExpiry(objects: Objects, now: number): Sample[] {
  const first = endsOf(objects).reduce((least, end) => (end > now && end < least ? end : least), Infinity);
  return first === Infinity ? [] : [{ value: first / 1000 }];
}

function endsOf(objects: Objects): number[] {
  const ends: number[] = [];
  for (const { status } of permissionsOf(objects)) {
    if (status.state === 'Active' && status.expiresAt !== undefined) ends.push(Date.parse(status.expiresAt));
  }
  return ends;
}

function permissionsOf(objects: Objects): Iterable<CustomObject> {
  return objects.get('Permission')?.() ?? [];
}
