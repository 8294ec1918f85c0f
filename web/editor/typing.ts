import { EditorView } from '@codemirror/view';

/**
 * Replaces a selection by what is typed. Chromium would do so itself and keep the style of what was selected, as an attribute
 * that the page's policy refuses: an error in the console, and nothing else, for each time.
 */
export const typingOverSelection = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});
