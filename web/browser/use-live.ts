import type { PersonEvent } from '@rolecall/api';
import { useEffect } from 'preact/hooks';
import { beginnings, onEvent } from '../events.ts';

/** Several events often come together: one reading answers all of them, this many milliseconds after the first. */
const gatherMs = 100;

/** Reads again what a view shows, after events of some kinds, and when the page is live again after a while without. */
export function useLive(reload: () => void, kinds: readonly PersonEvent[]): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, gatherMs);
    };
    const begun = beginnings.peek();
    const stops = kinds.map((kind) => onEvent(kind, soon));
    stops.push(
      beginnings.subscribe((count) => {
        if (count !== begun) soon();
      }),
    );
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, []);
}
