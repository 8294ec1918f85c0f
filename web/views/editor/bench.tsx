import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useAction } from '../../browser/use-action.ts';
import { Catalogue } from '../../editor/catalogue.ts';
import type { CodeEditor } from '../../editor/code-editor.ts';
import { completeNames } from '../../editor/completion.ts';
import type { TabText } from '../../editor/tab-text.ts';
import { hasDrafts } from '../../editor/unsaved.ts';
import { accessNow } from '../../events.ts';
import { Failure } from '../../parts/failure.tsx';
import { BenchHead } from './bench-head.tsx';
import { CodePane } from './code-pane.tsx';
import { Conflict } from './conflict.tsx';
import { Lost } from './lost.tsx';
import { Running } from './running.ts';
import { loadOutcome, ShownPane } from './shown-pane.tsx';
import { SidePane } from './side/side-pane.tsx';
import { TabBar } from './tab-bar.tsx';
import { type SidePanel, Toolbar } from './toolbar.tsx';
import { VariablesBar } from './variables-bar.tsx';
import type { Workbench } from './workbench.ts';

/** An editor while its data source is reached. When access ends, its tabs are kept, and it says why. */
export function Bench({ bench }: { readonly bench: Workbench }) {
  const access = accessNow.value.get(bench.source.id);
  const isLost = access?.allowed === false;
  useEffect(() => {
    if (!isLost) bench.saveAll();
  }, [isLost]);
  useKeeping(bench);
  if (isLost) return <Lost source={bench.source} why={access.detail ?? ''} tabs={bench.tabs.value} />;
  return <Desk bench={bench} />;
}

function Desk({ bench }: { readonly bench: Workbench }) {
  const editor = useRef<CodeEditor | undefined>(undefined);
  const action = useAction();
  const side = useSignal<SidePanel>(matchMedia('(min-width: 60rem)').matches ? 'tables' : 'none');
  const catalogue = useMemo(() => new Catalogue(bench.source.id), [bench]);
  const running = useMemo(() => new Running(bench, editor), [bench]);
  const complete = useMemo(() => completeNames(catalogue, bench.type), [catalogue]);
  useEffect(() => void catalogue.read(), [catalogue]);
  const tab = bench.active.value;
  const reading = useReading(running, tab);
  if (tab === undefined) return <p class="quiet">This editor has no tab.</p>;
  const state = tab.state.value;
  const run = (what: 'statement' | 'all') => {
    // It comes while the statement is on its way. If it does not come, the pane that shows it says so.
    loadOutcome().catch(() => undefined);
    action.run(() => running.run(what));
  };
  const format = () => {
    action.run(() => running.format());
  };
  return (
    <div class="editor">
      <BenchHead bench={bench} tab={tab} />
      <Toolbar
        {...{ run, format, action, side }}
        explain={() => {
          action.run(() => running.explain());
        }}
      />
      <Failure error={action.error} />
      <Failure error={reading.error} retry={reading.retry} />
      <div class="desk">
        {side.value !== 'none' && <SidePane panel={side.value} {...{ bench, catalogue, running, editor }} />}
        <div class="work" id="tab-panel" role="tabpanel" aria-label={tab.title.value}>
          <TabBar bench={bench} />
          {state.kind === 'conflict' && <Conflict tab={tab} theirs={state.theirs} />}
          <CodePane
            {...{ tab, complete, run, format }}
            type={bench.type}
            take={(made) => {
              editor.current = made;
            }}
            onChange={(id, text) => {
              bench.tabs.value.find((tab) => tab.id === id)?.edit(text);
            }}
            save={() => {
              bench.saveAll();
            }}
          />
          <VariablesBar
            bench={bench}
            run={() => {
              run('statement');
            }}
          />
          <ShownPane bench={bench} tab={tab} running={running} />
        </div>
      </div>
    </div>
  );
}

/** Reads a tab when it is chosen. Not as an action, which does one thing at a time: a tab is read also while another one begins to run. */
function useReading(running: Running, tab: TabText | undefined) {
  const unread = useSignal<Error | undefined>(undefined);
  const read = () => {
    unread.value = undefined;
    if (tab === undefined) return;
    running.open(tab).catch((error: unknown) => {
      unread.value = error instanceof Error ? error : new Error(String(error));
    });
  };
  useEffect(read, [tab]);
  return { error: unread.value, retry: read };
}

/** Saves when the window is left, reads again when it is back, and warns before what is unsaved is lost. */
function useKeeping(bench: Workbench): void {
  useEffect(() => {
    const leaving = (event: BeforeUnloadEvent) => {
      if (hasDrafts()) event.preventDefault();
    };
    const turned = () => {
      if (document.visibilityState === 'hidden') bench.saveAll();
      // What fails here fails again, and is told, when something is typed or run.
      else bench.refresh().catch(() => undefined);
    };
    addEventListener('beforeunload', leaving);
    addEventListener('focus', turned);
    document.addEventListener('visibilitychange', turned);
    return () => {
      removeEventListener('beforeunload', leaving);
      removeEventListener('focus', turned);
      document.removeEventListener('visibilitychange', turned);
    };
  }, [bench]);
}
