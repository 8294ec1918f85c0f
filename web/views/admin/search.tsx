import type { Signal } from '@preact/signals';

interface SearchProps {
  readonly label: string;
  readonly wanted: Signal<string>;
  /** Whether more lines follow those that are shown. */
  readonly isComplete: boolean;
  /** How many lines were left out. */
  readonly offset: Signal<number>;
  readonly pageSize: number;
}

/** A search over a list of the service, and the way through its pages. */
export function Search({ label, wanted, offset, isComplete, pageSize }: SearchProps) {
  return (
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
      {!isComplete && (
        <button type="button" onClick={() => (offset.value += pageSize)}>
          Next page
        </button>
      )}
    </div>
  );
}
