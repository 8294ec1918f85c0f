import {
  acceptCompletion,
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';

export { closeCompletion, startCompletion } from '@codemirror/autocomplete';

/** Extensions that help while typing: the list of names, and the brackets that close themselves. */
export function completing(complete: CompletionSource): Extension {
  return [
    keymap.of([{ key: 'Tab', run: acceptCompletion }, ...closeBracketsKeymap]),
    closeBrackets(),
    autocompletion({
      override: [complete],
      activateOnTypingDelay: 0,
      interactionDelay: 0,
      maxRenderedOptions: 30,
      icons: false,
    }),
  ];
}
