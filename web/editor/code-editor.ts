import type { CompletionSource } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, toggleComment } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import type { DataSourceType } from '@rolecall/api';
import { fault, markFault } from './fault.ts';
import { searching } from './searching.ts';
import { sqlLanguage } from './sql-language.ts';
import type { Statement } from './statements.ts';
import { theme } from './theme.ts';
import { typingOverSelection } from './typing.ts';

/** Compartment of the completion among the extensions, filled once its code is loaded. */
const completion = new Compartment();

export interface CodeEditorOptions {
  readonly type: DataSourceType;
  /** Completes the names of the schema. */
  readonly complete: CompletionSource;
  /** Gets the text of the shown tab after each change by the person. */
  readonly onChange: (tab: string, text: string) => void;
  readonly run: (what: 'statement' | 'all') => void;
  readonly format: () => void;
  readonly save: () => void;
}

/**
 * The editor of SQL: one view, and for each tab a state of its own, so that undoing stays within a tab. It lives in a shadow
 * root, where its styles are sheets of the root: the page's policy allows no `style` elements.
 */
export class CodeEditor {
  readonly #view: EditorView;
  readonly #states = new Map<string, EditorState>();
  readonly #complete: CompletionSource;
  readonly #onChange: CodeEditorOptions['onChange'];
  readonly #extensions: Extension;
  #completing: Extension = [];
  #loading: Promise<void> | undefined;
  #closeList: (view: EditorView) => void = () => undefined;
  /** True if the list is to open as soon as its code is loaded. */
  #wantsList = false;
  #tab = '';
  #isReplacing = false;

  constructor(host: HTMLElement, options: CodeEditorOptions) {
    this.#onChange = options.onChange;
    this.#complete = options.complete;
    this.#extensions = [extensionsOf(options), this.#listeners()];
    const parent = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    this.#view = new EditorView({ parent, root: parent, state: this.#newState('') });
  }

  /** Shows a tab. @param text its text, if it was not shown before */
  show(tab: string, text: string): void {
    if (this.#tab === tab) return;
    if (this.#tab !== '') this.#states.set(this.#tab, this.#view.state);
    this.#tab = tab;
    this.#view.setState(this.#states.get(tab) ?? this.#newState(text));
  }

  /** Replaces the text of a tab by one from another window. */
  replace(tab: string, text: string): void {
    if (tab !== this.#tab) {
      this.#states.delete(tab);
      return;
    }
    if (this.text === text) return;
    this.#isReplacing = true;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
    this.#isReplacing = false;
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  get selection(): Statement {
    const { from, to } = this.#view.state.selection.main;
    return { from, to };
  }

  /** Inserts a text at the cursor, as if it was typed. @param where replaces this instead of the selection */
  insert(text: string, where: Statement = this.selection): void {
    this.#view.dispatch({
      changes: { from: where.from, to: where.to, insert: text },
      selection: { anchor: where.from + text.length },
      scrollIntoView: true,
      userEvent: 'input',
    });
    this.focus();
  }

  /** Takes the list of completions away. */
  closeCompletion(): void {
    this.#wantsList = false;
    this.#closeList(this.#view);
  }

  /** Marks the position of an error, and scrolls to it; null removes the mark. */
  mark(place: Statement | null): void {
    const length = this.#view.state.doc.length;
    const held = place === null ? null : { from: Math.min(place.from, length), to: Math.min(place.to, length) };
    const scroll = held === null ? [] : [EditorView.scrollIntoView(held.from)];
    this.#view.dispatch({ effects: [markFault.of(held), ...scroll] });
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }

  #newState(doc: string): EditorState {
    return EditorState.create({ doc, extensions: [completion.of(this.#completing), this.#extensions] });
  }

  #listeners(): Extension {
    return [
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (transactions.some((change) => change.isUserEvent('input.type'))) this.#wantsList = endsInName(state);
        if (docChanged && !this.#isReplacing) this.#onChange(this.#tab, state.doc.toString());
      }),
      EditorView.domEventHandlers({
        keydown: ({ ctrlKey, code }) => {
          if (ctrlKey && code === 'Space') this.#wantsList = true;
          this.#loading ??= this.#loadCompletion();
        },
      }),
    ];
  }

  /** Loads the completion with the first key: to read an editor needs none. */
  async #loadCompletion(): Promise<void> {
    try {
      const { closeCompletion, completing, startCompletion } = await import('./completing.ts');
      this.#completing = completing(this.#complete);
      this.#closeList = closeCompletion;
      const effects = completion.reconfigure(this.#completing);
      for (const [tab, state] of this.#states) this.#states.set(tab, state.update({ effects }).state);
      this.#view.dispatch({ effects });
      if (this.#wantsList) startCompletion(this.#view);
    } catch {
      // The network is away. The next key tries again, and typing needs none of it.
      this.#loading = undefined;
    }
  }
}

function endsInName(state: EditorState): boolean {
  const { head } = state.selection.main;
  return /[\w."`]/.test(state.sliceDoc(Math.max(0, head - 1), head));
}

function extensionsOf({ type, run, format, save }: CodeEditorOptions): Extension {
  const command = (work: () => void) => () => {
    work();
    return true;
  };
  return [
    keymap.of([
      {
        key: 'Mod-Enter',
        run: command(() => {
          run('statement');
        }),
        shift: command(() => {
          run('all');
        }),
      },
      { key: 'Mod-s', run: command(save) },
      { key: 'Shift-Alt-f', run: command(format) },
      { key: 'Mod-/', run: toggleComment },
    ]),
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    bracketMatching(),
    highlightActiveLine(),
    sqlLanguage(type),
    fault,
    theme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': 'SQL', spellcheck: 'false', autocapitalize: 'off' }),
    placeholder('select …'),
    searching,
    typingOverSelection,
    keymap.of([...historyKeymap, ...defaultKeymap]),
  ];
}
