import { useEffect } from 'preact/hooks';
import type { TabText } from '../../editor/tab-text.ts';
import { accessNow } from '../../events.ts';
import { ConnectLink } from '../../parts/connect-link.tsx';
import { Until } from '../../parts/moment.tsx';
import { SaveState } from './save-state.tsx';
import type { Workbench } from './workbench.ts';

/** What the editor works on, how long that is reached, and whether everything is saved. */
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
