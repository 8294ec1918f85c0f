import { useSignal } from '@preact/signals';
import { useAction } from '../../browser/use-action.ts';
import type { TabText } from '../../editor/tab-text.ts';
import { Failure } from '../../parts/failure.tsx';
import type { Workbench } from './workbench.ts';

/** The tabs of an editor, and what makes, deletes and restores them. */
export function TabBar({ bench }: { readonly bench: Workbench }) {
  const action = useAction();
  const active = bench.active.value;
  const add = () => {
    action.run(() => bench.addTab());
  };
  const remove = (tab: TabText) => {
    action.run(() => bench.deleteTab(tab));
  };
  return (
    <>
      <div class="tab-bar">
        <TabList bench={bench} remove={remove} />
        <button type="button" aria-label="New tab" title="New tab" onClick={add}>
          +
        </button>
        {active !== undefined && bench.tabs.value.length > 1 && (
          <button
            type="button"
            aria-label={`Delete the tab ${active.title.value}`}
            title="Delete this tab"
            onClick={() => {
              remove(active);
            }}
          >
            ×
          </button>
        )}
      </div>
      <Failure error={action.error} />
      <Undo
        deleted={bench.deleted.value}
        undo={() => {
          action.run(() => bench.restoreTab());
        }}
      />
    </>
  );
}

interface TabListProps {
  readonly bench: Workbench;
  readonly remove: (tab: TabText) => void;
}

/** The arrow keys go from one tab to the next, F2 or a double click renames. */
function TabList({ bench, remove }: TabListProps) {
  const renamed = useSignal<string | undefined>(undefined);
  const tabs = bench.tabs.value;
  const active = bench.active.value;
  const onKeyDown = (event: KeyboardEvent) => {
    if (active === undefined || event.target instanceof HTMLInputElement) return;
    const target = neighbour(event.key, tabs, tabs.indexOf(active));
    if (event.key === 'F2') renamed.value = active.id;
    else if (event.key === 'Delete') remove(active);
    else if (target === undefined) return;
    else {
      bench.choose(target);
      document.getElementById(`tab-${target.id}`)?.focus();
    }
    event.preventDefault();
  };
  return (
    <div role="tablist" aria-label="Tabs" onKeyDown={onKeyDown}>
      {tabs.map((tab) =>
        renamed.value === tab.id ? (
          <Rename
            key={tab.id}
            tab={tab}
            done={() => {
              renamed.value = undefined;
            }}
          />
        ) : (
          <Tab
            key={tab.id}
            tab={tab}
            isActive={tab === active}
            choose={() => {
              bench.choose(tab);
            }}
            rename={() => {
              renamed.value = tab.id;
            }}
          />
        ),
      )}
    </div>
  );
}

/** The tab to which a key goes from the one at this index. */
function neighbour(key: string, tabs: readonly TabText[], index: number): TabText | undefined {
  if (key === 'ArrowRight') return tabs[(index + 1) % tabs.length];
  if (key === 'ArrowLeft') return tabs.at(index - 1);
  if (key === 'Home') return tabs[0];
  return key === 'End' ? tabs.at(-1) : undefined;
}

interface TabProps {
  readonly tab: TabText;
  readonly isActive: boolean;
  readonly choose: () => void;
  readonly rename: () => void;
}

function Tab({ tab, isActive, choose, rename }: TabProps) {
  const { kind } = tab.state.value;
  return (
    <button
      id={`tab-${tab.id}`}
      type="button"
      role="tab"
      aria-selected={isActive}
      aria-controls="tab-panel"
      tabIndex={isActive ? 0 : -1}
      title="Rename with F2 or a double click"
      onClick={choose}
      onDblClick={rename}
    >
      {tab.title}
      {kind !== 'saved' && kind !== 'reading' && <span class="dot"> •</span>}
    </button>
  );
}

interface UndoProps {
  readonly deleted: { readonly title: string } | undefined;
  readonly undo: () => void;
}

function Undo({ deleted, undo }: UndoProps) {
  if (deleted === undefined) return null;
  return (
    <p class="undo" role="status">
      Deleted {deleted.title}.{' '}
      <button type="button" onClick={undo}>
        Undo
      </button>
    </p>
  );
}

function Rename({ tab, done }: { readonly tab: TabText; readonly done: () => void }) {
  const take = (title: string) => {
    if (title.trim() !== '') tab.rename(title.trim());
    done();
  };
  return (
    <input
      aria-label="Title of the tab"
      maxLength={255}
      value={tab.title.value}
      ref={(input) => {
        input?.focus();
      }}
      onBlur={(event) => {
        take(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take(event.currentTarget.value);
        if (event.key === 'Escape') done();
      }}
    />
  );
}
