import type { DataSourceType } from '@rolecall/api';
import { useEffect, useMemo } from 'preact/hooks';
import { type PlanStep, readPlan } from '../../editor/plan.ts';
import { Failure } from '../../parts/failure.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { QueryRun } from '../../results/query-run.ts';
import { Results } from '../../results/results.tsx';
import type { Running } from './running.ts';
import type { Shown } from './workbench.ts';

interface OutcomeProps {
  readonly shown: Shown;
  readonly type: DataSourceType;
  readonly running: Running;
}

/** Shows the outcome of a query: its plan as a tree, or its results. */
export function Outcome({ shown, type, running }: OutcomeProps) {
  const { kind, query } = shown;
  if (kind === 'plan') return <PlanPane key={query} query={query} type={type} />;
  return (
    <Results
      query={query}
      type={type}
      onFailure={(index, message) => {
        running.mark(shown, index, message);
      }}
    />
  );
}

interface PlanPaneProps {
  readonly query: string;
  readonly type: DataSourceType;
}

/** Shows the database's plan for a statement, as a tree. While it is not there, and if it fails, the query itself is shown. */
function PlanPane({ query, type }: PlanPaneProps) {
  const run = useMemo(() => new QueryRun(query), []);
  useEffect(() => run.follow(), []);
  const [result] = run.results.value;
  const isThere = result?.type === 'query' && result.completedAt !== null;
  return isThere ? <Tree query={query} type={type} /> : <Results query={query} />;
}

function Tree({ query, type }: PlanPaneProps) {
  const { loaded, reload } = useResource(async (signal) => {
    const params = { query, resultIndex: '0' };
    return readPlan(type, await call('listMyQueryRows', { params, query: { limit: '1000' } }, signal));
  });
  const steps = loaded.value;
  if (steps === undefined) return <p class="quiet">Reading the plan…</p>;
  if ('error' in steps) return <Failure error={steps.error} retry={reload} />;
  return (
    <section class="plan" aria-label="Plan">
      <Steps steps={steps.value} />
    </section>
  );
}

function Steps({ steps }: { readonly steps: readonly PlanStep[] }) {
  return (
    <ul>
      {steps.map(({ label, details, children }, index) => (
        <li key={index}>
          <strong>{label}</strong>
          {details.map((detail) => (
            <span key={detail} class="quiet">
              {detail}
            </span>
          ))}
          {children.length > 0 && <Steps steps={children} />}
        </li>
      ))}
    </ul>
  );
}
