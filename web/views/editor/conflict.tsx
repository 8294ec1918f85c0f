import type { Tab } from '@rolecall/api';
import type { TabText } from '../../editor/tab-text.ts';

/** Another window has changed the tab: shows both texts, and lets the person choose. */
export function Conflict({ tab, theirs }: { readonly tab: TabText; readonly theirs: Tab }) {
  const choices = [
    { keep: 'mine', heading: 'This window', text: tab.text.value ?? '', label: 'Keep this one' },
    { keep: 'theirs', heading: 'The other window', text: theirs.text, label: 'Take the other one' },
  ] as const;
  return (
    <section class="conflict" role="alertdialog" aria-labelledby="conflict-title">
      <h2 id="conflict-title">Another window has changed this tab</h2>
      <p>Nothing has been overwritten. Choose which text stays.</p>
      <div class="sides">
        {choices.map(({ keep, heading, text, label }) => (
          <div key={keep}>
            <h3>{heading}</h3>
            <pre tabIndex={0}>{text}</pre>
            <button
              type="button"
              onClick={() => {
                tab.resolve(keep);
              }}
            >
              {label}
            </button>
          </div>
        ))}
      </div>
    </section>
  );
}
