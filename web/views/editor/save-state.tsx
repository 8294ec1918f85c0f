import { useAction } from '../../browser/use-action.ts';
import type { TabText } from '../../editor/tab-text.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import type { Workbench } from './workbench.ts';

/** Whether the service has what was typed into a tab. */
export function SaveState({ bench, tab }: { readonly bench: Workbench; readonly tab: TabText }) {
  const state = tab.state.value;
  const keeping = useAction();
  if (state.kind === 'deleted') {
    return (
      <span class="save-state bad" role="status">
        Not saved: another window deleted this tab.{' '}
        <ActionButton action={keeping} work={() => bench.keepAsNew(tab)}>
          Keep as a new tab
        </ActionButton>
        {keeping.error !== undefined && <Failure error={keeping.error} />}
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
