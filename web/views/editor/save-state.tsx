import type { TabText } from '../../editor/tab-text.ts';

/** Whether the service has what was typed into a tab. */
export function SaveState({ tab }: { readonly tab: TabText }) {
  const state = tab.state.value;
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
