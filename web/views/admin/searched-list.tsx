import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { type Loaded, useResource } from '../../resource.ts';

/** Milliseconds that typing pauses before the service is asked. */
const typingMs = 250;

/** Lines that the service sends at once. */
const pageSize = 100;

/** Query to the service: numbers travel as text. */
interface Wanted {
  readonly search: string;
  readonly offset: string;
}

/** One page of a list of the service. */
interface Page {
  /** True if no more lines follow. */
  readonly isComplete: boolean;
}

interface Searched<T> {
  readonly wanted: Signal<string>;
  /** Number of lines that were left out. */
  readonly offset: Signal<number>;
  readonly loaded: Loaded<T>;
  readonly reload: () => void;
}

/** Reads one page of a list that is searched, and again as the search changes. */
export function useSearch<T extends Page>(read: (query: Wanted, signal: AbortSignal) => Promise<T>): Searched<T> {
  const wanted = useSignal('');
  const offset = useSignal(0);
  const { loaded, reload } = useResource((signal) =>
    read({ search: wanted.value.trim(), offset: String(offset.value) }, signal),
  );
  useEffect(() => {
    const timer = setTimeout(reload, typingMs);
    return () => {
      clearTimeout(timer);
    };
  }, [wanted.value, offset.value]);
  return { wanted, offset, loaded: loaded.value, reload };
}

interface SearchedListProps<T extends Page> {
  readonly searched: Searched<T>;
  readonly show: (page: T) => VNode;
}

/** A search by person or data source, the page of the list that it found, and the way to the others. */
export function SearchedList<T extends Page>({ searched, show }: SearchedListProps<T>) {
  const { wanted, offset, loaded, reload } = searched;
  const label = 'Search by person or data source';
  return (
    <>
      <div class="beside search">
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          maxLength={100}
          value={wanted.value}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value;
            offset.value = 0;
          }}
        />
        {offset.value > 0 && (
          <button type="button" onClick={() => (offset.value = Math.max(0, offset.value - pageSize))}>
            Page before
          </button>
        )}
        {loaded !== undefined && 'value' in loaded && !loaded.value.isComplete && (
          <button type="button" onClick={() => (offset.value += pageSize)}>
            Next page
          </button>
        )}
      </div>
      <ShowLoaded loaded={loaded} reload={reload} show={show} />
    </>
  );
}
