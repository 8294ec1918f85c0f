import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const kinds = /^(TCPSocketWrap|TLSWrap|TCPConnectWrap|GetAddrInfoReqWrap|ProcessWrap|PipeWrap|Timeout|Immediate)$/;

/** What keeps this process busy now: sockets, timers, child processes and their pipes, by kind. */
export function openHandles(): ReadonlyMap<string, number> {
  const open = process.getActiveResourcesInfo().filter((kind) => kinds.test(kind));
  return new Map([...Map.groupBy(open, (kind) => kind)].map(([kind, { length }]) => [kind, length]));
}

const processes = /^(ProcessWrap|PipeWrap)$/;
/** How long a busy machine may take to end a process that was told to, and to say so. */
const patienceMs = 10_000;

/** Fails unless this process soon holds nothing open but what it held before. Sockets close a moment after `destroy`. */
export async function assertNothingLeft(before: ReadonlyMap<string, number>): Promise<void> {
  let more = moreThan(before);
  const end = performance.now() + patienceMs;
  const isEnding = (): boolean => more.every((kind) => processes.test(kind)) && performance.now() < end;
  for (let tries = 0; more.length > 0 && (tries < 20 || isEnding()); tries += 1) {
    await sleep(25);
    more = moreThan(before);
  }
  assert.deepEqual(more, [], 'left open');
}

function moreThan(before: ReadonlyMap<string, number>): string[] {
  return [...openHandles()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind);
}
