import type { Readable, Writable } from 'node:stream';
import type { KubeObject } from './admin-client.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

export type SendEvent = (event: WatchEvent) => void;

/** Takes each event of one watch, and sends those it wants to, when and in which order it wants to. */
export interface WatchFault {
  /** The watch is open. */
  readonly opened?: (send: SendEvent) => void;
  readonly event: (event: WatchEvent, send: SendEvent) => void;
  readonly closed?: (send: SendEvent) => void;
}

/** Passes the events of a watch on as a test says. */
export function relayEvents(from: Readable, to: Writable, fault: WatchFault): void {
  let rest = '';
  const send: SendEvent = (event) => {
    if (!to.destroyed && !to.writableEnded) to.write(`${JSON.stringify(event)}\n`);
  };
  from.setEncoding('utf8');
  fault.opened?.(send);
  to.once('close', () => fault.closed?.(send));
  from.on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    // The API server writes an event a line.
    for (const line of lines) fault.event(JSON.parse(line) as WatchEvent, send);
  });
  from.on('end', () => to.end());
}
