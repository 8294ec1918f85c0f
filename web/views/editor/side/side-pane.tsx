import type { RefObject } from 'preact';
import { lazy } from '../../../browser/lazy.tsx';
import type { Catalogue } from '../../../editor/catalogue.ts';
import type { CodeEditor } from '../../../editor/code-editor.ts';
import { quoted } from '../../../editor/quoted.ts';
import type { Running } from '../running.ts';
import type { Workbench } from '../workbench.ts';
import { SchemaTree } from './schema-tree.tsx';

const HistoryPanel = lazy(async () => (await import('./history-panel.tsx')).HistoryPanel);

interface SidePaneProps {
  readonly panel: 'tables' | 'history';
  readonly bench: Workbench;
  readonly catalogue: Catalogue;
  readonly running: Running;
  readonly editor: RefObject<CodeEditor | undefined>;
}

/** Pane beside the text. */
export function SidePane({ panel, bench, catalogue, running, editor }: SidePaneProps) {
  const tab = bench.active.value;
  if (panel === 'history') {
    return (
      <aside>
        <HistoryPanel
          editor={bench.id}
          turn={tab === undefined ? '' : (bench.shown.value.get(tab.id)?.query ?? '')}
          showResults={(query) => {
            running.showAgain(query);
          }}
          insert={(text) => {
            editor.current?.insert(text);
          }}
        />
      </aside>
    );
  }
  return (
    <aside>
      <SchemaTree
        catalogue={catalogue}
        insert={({ schema, name }, column) => {
          const quotedName = quoted(column ?? name, bench.type);
          const isDefault = column !== undefined || schema === catalogue.defaultSchema;
          editor.current?.insert(isDefault ? quotedName : `${quoted(schema, bench.type)}.${quotedName}`);
        }}
      />
    </aside>
  );
}
