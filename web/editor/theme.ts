import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The page's own colours, which follow light and dark. */
const looks = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--field)', fontSize: '0.9375rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
    lineHeight: '1.5',
  },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--select)',
  },
  '.cm-gutters': { backgroundColor: 'var(--field)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover-weak)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-statement': { backgroundColor: 'var(--hover-weak)' },
  '.cm-fault': { textDecoration: 'underline wavy var(--bad-ink) 2px', textUnderlineOffset: '3px' },
  '.cm-panels': { backgroundColor: 'var(--sheet)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--edge)' },
  '.cm-panel.cm-search': { padding: '0.5rem', fontSize: '0.875rem' },
  '.cm-textfield': { backgroundColor: 'var(--field)', color: 'var(--ink)', border: '1px solid var(--soft)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--sheet)', border: '1px solid var(--soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--sheet)',
    color: 'var(--ink)',
    border: '1px solid var(--edge)',
    borderRadius: '0.5rem',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-ink)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.75', fontStyle: 'normal' },
  '.cm-placeholder': { color: 'var(--soft)' },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--code-type)' },
]);

export const theme: Extension = [looks, syntaxHighlighting(colours)];
