import type { DataSourceType } from '@rolecall/api';
import { Results } from '../../results/results.tsx';
import { PlanPane } from './plan-pane.tsx';
import type { Running } from './running.ts';
import type { Shown } from './workbench.ts';

interface OutcomeProps {
  readonly shown: Shown;
  readonly type: DataSourceType;
  readonly running: Running;
}

/** What came of a query: its plan as a tree, or its results. */
export function Outcome({ shown, type, running }: OutcomeProps) {
  const { kind, query } = shown;
  if (kind === 'plan') return <PlanPane key={query} query={query} type={type} />;
  return (
    <Results
      query={query}
      onErrorPosition={(index, position) => {
        void running.mark(shown, index, position);
      }}
    />
  );
}
