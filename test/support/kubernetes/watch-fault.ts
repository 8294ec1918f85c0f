import type { Readable, Writable } from 'node:stream';
import type { KubeObject } from './admin-client.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

/** Takes each event of one watch, and sends those it wants to, when and in which order it wants to. */
export type WatchFault = (event: WatchEvent, send: (event: WatchEvent) => void) => void;

/** Passes the events of a watch on as a test says. */
export function relayEvents(from: Readable, to: Writable, fault: WatchFault): void {
  let rest = '';
  const send = (event: WatchEvent): void => {
    if (!to.destroyed && !to.writableEnded) to.write(`${JSON.stringify(event)}\n`);
  };
  from.setEncoding('utf8');
  from.on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    // The API server writes an event a line.
    for (const line of lines) fault(JSON.parse(line) as WatchEvent, send);
  });
  from.on('end', () => to.end());
}
