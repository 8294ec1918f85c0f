import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';

/** Marks where the database found an error, until the text there changes; null marks nothing. */
export const markFault = StateEffect.define<{ readonly from: number; readonly to: number } | null>();

const mark = Decoration.mark({ class: 'cm-fault' });

/** Shows the place of the last error. */
export const fault: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) => {
    let next = marks.map(changes);
    for (const effect of effects) {
      if (!effect.is(markFault)) continue;
      const place = effect.value;
      next =
        place === null || place.from >= place.to ? Decoration.none : Decoration.set(mark.range(place.from, place.to));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});
