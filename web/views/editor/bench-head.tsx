import { useEffect } from 'preact/hooks';
import { useAction } from '../../browser/use-action.ts';
import type { TabText } from '../../editor/tab-text.ts';
import { accessNow } from '../../events.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ConnectLink } from '../../parts/connect-link.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Until } from '../../parts/moment.tsx';
import type { Workbench } from './workbench.ts';

/** Shows the editor's data source, the time left to reach it, and whether everything is saved. */
export function BenchHead({ bench, tab }: { readonly bench: Workbench; readonly tab: TabText }) {
  const { source, type } = bench;
  const access = accessNow.value.get(source.id);
  useEffect(() => {
    document.title = `${tab.title.value} · ${source.name} · Rolecall`;
    return () => {
      document.title = 'Rolecall';
    };
  }, [tab.title.value]);
  return (
    <div class="bench-head">
      <h1>{source.name}</h1>
      {source.alias !== null && <code>{source.alias}</code>}
      <span class="badge">{type}</span>
      {typeof access?.until === 'string' && <Until at={access.until} />}
      {bench.hasGateway && <ConnectLink {...source} />}
      <SaveState bench={bench} tab={tab} />
    </div>
  );
}

/** Shows whether the service has the text that was typed into a tab. */
function SaveState({ bench, tab }: { readonly bench: Workbench; readonly tab: TabText }) {
  const state = tab.state.value;
  const keeping = useAction();
  if (state.kind === 'deleted') {
    return (
      <span class="save-state bad" role="status">
        Not saved: another window deleted this tab.{' '}
        <ActionButton action={keeping} work={() => bench.keepAsNew(tab)}>
          Keep as a new tab
        </ActionButton>
        <Failure error={keeping.error} />
      </span>
    );
  }
  if (state.kind !== 'failed') {
    const words = { reading: '', saved: 'Saved', unsaved: 'Saving…', conflict: 'Not saved: choose a text' };
    return (
      <span class="save-state quiet" role="status">
        {words[state.kind]}
      </span>
    );
  }
  return (
    <span class="save-state bad" role="status">
      Not saved: {state.why}. {state.again ? 'The page keeps trying.' : 'Your text stays in this window.'}{' '}
      <button
        type="button"
        onClick={() => {
          tab.save();
        }}
      >
        Try now
      </button>
    </span>
  );
}
