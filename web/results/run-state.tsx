import { useSignal } from '@preact/signals';
import type { MyQuery, QueryResult } from '@rolecall/api';
import { useEffect } from 'preact/hooks';
import { useAction } from '../browser/use-action.ts';
import { counted, duration, isStopped } from '../grid/values/summary.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Failure } from '../parts/failure.tsx';
import type { QueryRun } from './query-run.ts';

/** Shows that the query runs, and for how long; with a button that cancels it. */
export function RunState({ run }: { readonly run: QueryRun }) {
  const cancel = useAction();
  const query = run.query.value;
  const isRunning = query?.completedAt === null;
  return (
    <>
      <div class="run-state">
        <span role="status">
          {query !== undefined && !isRunning && outcome(query, run.results.value.at(-1), run.skipped.value)}
        </span>
        {isRunning && <Elapsed query={query} />}
        {isRunning && (
          <ActionButton action={cancel} work={() => run.cancel()}>
            Cancel
          </ActionButton>
        )}
      </div>
      <Failure error={cancel.error} />
    </>
  );
}

/** @param last its last result, which tells whether it failed or was stopped @param skipped how many of its commands never began */
function outcome(query: MyQuery, last: QueryResult | undefined, skipped: number): string {
  const { success, startedAt, createdAt, completedAt, numResults } = query;
  const took = duration(Date.parse(completedAt ?? createdAt) - Date.parse(startedAt ?? createdAt));
  if (success === true) return `Done in ${took}: ${counted(numResults ?? 0, 'result')}.`;
  const end = `${isStopped(last, query) ? 'Stopped' : 'Failed'} after ${took}.`;
  if (skipped === 0) return end;
  return `${end} The ${skipped === 1 ? 'statement' : counted(skipped, 'statement')} after it did not run.`;
}

/** Counts from the moment at which this page saw the query run, since the two clocks may differ. */
function Elapsed({ query: { startedAt } }: { readonly query: MyQuery }) {
  const began = useSignal(performance.now());
  const now = useSignal(performance.now());
  useEffect(() => {
    began.value = performance.now();
    const timer = setInterval(() => {
      now.value = performance.now();
    }, 100);
    return () => {
      clearInterval(timer);
    };
  }, [startedAt === null]);
  const elapsed = duration(Math.max(0, now.value - began.value));
  return <span class="quiet">{startedAt === null ? `Waiting, ${elapsed}` : `Running, ${elapsed}`}</span>;
}
