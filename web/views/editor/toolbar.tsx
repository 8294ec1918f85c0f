import type { Signal } from '@preact/signals';
import type { Action } from '../../browser/use-action.ts';

export type SidePanel = 'tables' | 'history' | 'none';

interface ToolbarProps {
  readonly run: (what: 'statement' | 'all') => void;
  readonly explain: () => void;
  readonly format: () => void;
  readonly action: Action;
  readonly side: Signal<SidePanel>;
}

const isMac = navigator.userAgent.includes('Mac');
const modifier = isMac ? '⌘' : 'Ctrl';

/** Tools for the text, and the choice of the panel beside it. */
export function Toolbar({ run, explain, format, action, side }: ToolbarProps) {
  const panel = (name: SidePanel, label: string) => (
    <button
      type="button"
      aria-pressed={side.value === name}
      onClick={() => {
        side.value = side.value === name ? 'none' : name;
      }}
    >
      {label}
    </button>
  );
  return (
    <div class="toolbar" role="toolbar" aria-label="Editor">
      <button
        class="main"
        type="button"
        disabled={action.busy}
        title={`Run the selection, or the statement at the cursor (${modifier}+Enter)`}
        onClick={() => {
          run('statement');
        }}
      >
        Run
      </button>
      <button
        type="button"
        disabled={action.busy}
        title={`Run everything (${modifier}+Shift+Enter)`}
        onClick={() => {
          run('all');
        }}
      >
        Run all
      </button>
      <button type="button" disabled={action.busy} title="How the database would run it" onClick={explain}>
        Explain
      </button>
      <button type="button" title="Lay out the text (Shift+Alt+F)" onClick={format}>
        Format
      </button>
      <span class="apart" />
      {panel('tables', 'Tables')}
      {panel('history', 'History')}
    </div>
  );
}
