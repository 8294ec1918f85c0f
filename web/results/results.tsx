import { useSignal } from '@preact/signals';
import type { DataSourceType, QueryResult } from '@rolecall/api';
import { useEffect, useMemo } from 'preact/hooks';
import { accessNow, onEvent } from '../events.ts';
import { Failure } from '../parts/failure.tsx';
import { Told } from '../parts/moment.tsx';
import { QueryRun } from './query-run.ts';
import { ResultTabs } from './result-tabs.tsx';
import { ResultView } from './result-view.tsx';
import { RunState } from './run-state.tsx';

interface ResultsProps {
  readonly query: string;
  /** Type of its data source, if the view knows it. */
  readonly type?: DataSourceType;
  /** Called once for each result that is an error, with the database's message. */
  readonly onFailure?: (resultIndex: number, message: string) => void;
}

/** The state of a query, and its results. It takes the height of its container, if that has one. */
export function Results(props: ResultsProps) {
  return <Run key={props.query} {...props} />;
}

function Run({ query, type, onFailure }: ResultsProps) {
  const run = useMemo(() => new QueryRun(query), []);
  const chosen = useSignal<number | undefined>(undefined);
  const access = accessNow.value.get(run.query.value?.dataSource.id ?? '');
  const isShut = access?.allowed === false;
  useEffect(() => run.follow(), [isShut]);
  useEffect(
    () =>
      onEvent('query', ({ id }) => {
        if (id === query) run.readNow();
      }),
    [],
  );
  const results = run.results.value;
  const failed = results.findIndex((result) => result?.type === 'error');
  useEffect(() => {
    const result = results[failed];
    if (result?.type === 'error') onFailure?.(failed, result.detail.error);
  }, [failed]);
  const index = chosen.value ?? shownFirst(results);
  const shown = results[index];
  const retry = () => {
    run.follow();
  };
  return (
    <section class="results" aria-label="Results">
      <div class="results-head">
        <RunState run={run} />
        {results.length > 1 && !isShut && (
          <ResultTabs
            query={run.query.value}
            results={results}
            chosen={index}
            choose={(picked) => {
              chosen.value = picked;
              run.open(picked);
            }}
          />
        )}
      </div>
      {!isShut && <Failure error={run.error.value} retry={retry} />}
      {isShut && (
        <div class="notice bad" role="alert">
          <p>
            <Told text={access.detail ?? 'Your access has ended.'} />
          </p>
          <p>The results are shown again as soon as you reach {access.dataSource.name} again.</p>
        </div>
      )}
      {shown !== undefined && !isShut && <ResultView key={index} result={shown} query={run.query.value} type={type} />}
    </section>
  );
}

/** Chooses the result to show first: a failed one, or else the first rows, or else the last one. */
function shownFirst(results: readonly (QueryResult | undefined)[]): number {
  const failed = results.findIndex((result) => result?.type === 'error');
  if (failed !== -1) return failed;
  const first = results.findIndex((result) => result?.type === 'query');
  return first === -1 ? results.length - 1 : first;
}
