import type * as SearchModule from '@codemirror/search';
import type { Command, EditorView } from '@codemirror/view';
import { keymap } from '@codemirror/view';

type Search = typeof SearchModule;

/** A command of the search, whose code is loaded when it is used first. */
function lazily(choose: (search: Search) => Command): Command {
  return (view: EditorView) => {
    void import('@codemirror/search').then((search) => choose(search)(view));
    return true;
  };
}

const everywhere = 'editor search-panel';

/** Finds and replaces in the text. */
export const searching = keymap.of([
  { key: 'Mod-f', scope: everywhere, run: lazily(({ openSearchPanel }) => openSearchPanel) },
  {
    key: 'F3',
    scope: everywhere,
    run: lazily(({ findNext }) => findNext),
    shift: lazily(({ findPrevious }) => findPrevious),
  },
  { key: 'Escape', scope: 'search-panel', run: lazily(({ closeSearchPanel }) => closeSearchPanel) },
]);
