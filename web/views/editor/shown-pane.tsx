import { lazy } from '../../browser/lazy.tsx';
import type { TabText } from '../../editor/tab-text.ts';
import type { Running } from './running.ts';
import type { Workbench } from './workbench.ts';

interface ShownPaneProps {
  readonly bench: Workbench;
  readonly tab: TabText;
  readonly running: Running;
}

/** Loads the code of results, for a statement that is about to run. */
export const loadOutcome = () => import('./outcome.tsx');

const Outcome = lazy(async () => (await loadOutcome()).Outcome);

/** Shows the tab's last run. */
export function ShownPane({ bench, tab, running }: ShownPaneProps) {
  const shown = bench.shown.value.get(tab.id);
  if (shown === undefined) return <p class="quiet nothing-shown">Nothing has been run in this tab yet.</p>;
  return (
    <div class="shown">
      <Outcome shown={shown} type={bench.type} running={running} />
    </div>
  );
}
