import type { MyQuery, QueryResult } from '@rolecall/api';
import { useId } from 'preact/hooks';
import { isStopped, summary } from '../grid/values/summary.ts';

interface ResultTabsProps {
  readonly query: MyQuery | undefined;
  readonly results: readonly (QueryResult | undefined)[];
  readonly chosen: number;
  readonly choose: (index: number) => void;
}

/** A tab for each result; the arrow keys go from one to the next. */
export function ResultTabs({ query, results, chosen, choose }: ResultTabsProps) {
  const id = useId();
  const last = results.length - 1;
  const targets: Readonly<Record<string, number>> = {
    ArrowRight: chosen === last ? 0 : chosen + 1,
    ArrowLeft: chosen === 0 ? last : chosen - 1,
    Home: 0,
    End: last,
  };
  return (
    <div
      class="result-tabs"
      role="tablist"
      aria-label="Results"
      onKeyDown={(event) => {
        const target = targets[event.key];
        if (target === undefined) return;
        event.preventDefault();
        choose(target);
        document.getElementById(`${id}-${target}`)?.focus();
      }}
    >
      {results.map((result, index) => (
        <button
          key={index}
          id={`${id}-${index}`}
          type="button"
          role="tab"
          class={result?.type === 'error' && !isStopped(result, query) ? 'bad' : undefined}
          aria-selected={index === chosen}
          tabIndex={index === chosen ? 0 : -1}
          onClick={() => {
            choose(index);
          }}
        >
          {index + 1}: {result === undefined ? 'not read yet' : summary(result, query)}
        </button>
      ))}
    </div>
  );
}
