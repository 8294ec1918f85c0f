import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const kinds = /^(TCPSocketWrap|TLSWrap|TCPConnectWrap|GetAddrInfoReqWrap|ProcessWrap|PipeWrap|Timeout|Immediate)$/;

/** How many wait here at this moment: of several side by side, none may take the others' timers for something left. */
let waiting = 0;

/** What keeps this process busy now: sockets, timers, child processes and their pipes, by kind. */
export function openHandles(): ReadonlyMap<string, number> {
  const open = process.getActiveResourcesInfo().filter((kind) => kinds.test(kind));
  const counts = [...Map.groupBy(open, (kind) => kind)].map(([kind, { length }]) => [kind, length] as const);
  return new Map(counts.map(([kind, count]) => [kind, kind === 'Timeout' ? count - waiting : count]));
}

/** How long a busy machine may take to end what was told to end, and to say so, in milliseconds; 2000 for what is not named. */
const patience: Readonly<Record<string, number>> = {
  ProcessWrap: 10_000,
  PipeWrap: 10_000,
  TCPSocketWrap: 10_000,
  TLSWrap: 10_000,
  // A longer wait would miss those that end meanwhile.
  Timeout: 500,
};

/** Fails unless this process soon holds nothing open but what it held before. Sockets close a moment after `destroy`. */
export async function assertNothingLeft(before: ReadonlyMap<string, number>): Promise<void> {
  let more = moreThan(before);
  const began = performance.now();
  const isEnding = (): boolean => {
    const waited = performance.now() - began;
    return more.every((kind) => waited < (patience[kind] ?? 2_000));
  };
  while (more.length > 0 && isEnding()) {
    waiting += 1;
    await sleep(25);
    waiting -= 1;
    more = moreThan(before);
  }
  assert.deepEqual(more, [], 'left open');
}

function moreThan(before: ReadonlyMap<string, number>): string[] {
  return [...openHandles()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind);
}
