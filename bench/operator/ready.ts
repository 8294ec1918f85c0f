/** When objects are ready, as a watch tells of them. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Seen } from './cluster.ts';
import { type Installed, person, team } from './installed.ts';

export function isReady({ metadata, status }: Seen['object']): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    status.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true
  );
}

export async function patiently(holds: () => boolean | Promise<boolean>, everyMs = 20): Promise<void> {
  while (!(await holds())) await sleep(everyMs);
}

/** How long a new person takes from before its creation until it is ready. */
export async function readyAfter(cluster: Installed['cluster'], name: string): Promise<number> {
  let ended = 0;
  await using _following = await cluster.follow(team, 'Person', ({ object }, at) => {
    if (object.metadata.name === name && isReady(object) && ended === 0) ended = at;
  });
  await sleep(50);
  const started = Date.now();
  await cluster.create(team, [person(name)]);
  await patiently(() => ended !== 0, 5);
  return (ended - started) / 1000;
}
