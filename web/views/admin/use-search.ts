import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Loaded, useResource } from '../../resource.ts';

interface Wanted {
  readonly search: string;
  readonly offset: number;
}

/** How long typing pauses before the service is asked, in milliseconds. */
const typingMs = 250;

/** How many lines the service sends at once. */
export const pageSize = 100;

/** Reads one page of a list that is searched, and again as the search changes. */
export function useSearch<T>(read: (wanted: Wanted, signal: AbortSignal) => Promise<T>): {
  readonly wanted: Signal<string>;
  readonly offset: Signal<number>;
  readonly loaded: Loaded<T>;
  readonly reload: () => void;
} {
  const wanted = useSignal('');
  const offset = useSignal(0);
  const { loaded, reload } = useResource((signal) =>
    read({ search: wanted.value.trim(), offset: offset.value }, signal),
  );
  useEffect(() => {
    const timer = setTimeout(reload, typingMs);
    return () => {
      clearTimeout(timer);
    };
  }, [wanted.value, offset.value]);
  return { wanted, offset, loaded: loaded.value, reload };
}
