import type { TabText } from '../../editor/tab-text.ts';
import { Results } from '../../grid/results.tsx';
import { PlanPane } from './plan-pane.tsx';
import type { Running } from './running.ts';
import type { Workbench } from './workbench.ts';

interface ShownPaneProps {
  readonly bench: Workbench;
  readonly tab: TabText;
  readonly running: Running;
}

/** What the tab ran last. */
export function ShownPane({ bench, tab, running }: ShownPaneProps) {
  const shown = bench.shown.value.get(tab.id);
  if (shown === undefined) return <p class="quiet nothing-shown">Nothing has been run in this tab yet.</p>;
  const { kind, query } = shown;
  return (
    <div class="shown">
      {kind === 'plan' ? (
        <PlanPane key={query} query={query} type={bench.type} />
      ) : (
        <Results
          query={query}
          onErrorPosition={(index, position) => {
            void running.mark(shown, index, position);
          }}
        />
      )}
    </div>
  );
}
