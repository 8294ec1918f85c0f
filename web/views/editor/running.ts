import type { RefObject } from 'preact';
import type { CodeEditor } from '../../editor/code-editor.ts';
import { faultPlace } from '../../editor/fault-place.ts';
import { explainPrefix } from '../../editor/plan.ts';
import { type Statement, statementAt, statementsOf } from '../../editor/statements.ts';
import type { TabText } from '../../editor/tab-text.ts';
import { call } from '../../person-client.ts';
import type { Shown, Workbench } from './workbench.ts';

/** Runs the text of a window's editor: chooses it, and marks where it failed. */
export class Running {
  readonly #bench: Workbench;
  readonly #editor: RefObject<CodeEditor | undefined>;

  constructor(bench: Workbench, editor: RefObject<CodeEditor | undefined>) {
    this.#bench = bench;
    this.#editor = editor;
  }

  /** Reads a tab that is shown, and finds what it ran last. */
  async open(tab: TabText): Promise<void> {
    await tab.read();
    if (this.#bench.shown.value.has(tab.id)) return;
    const named = new URLSearchParams(location.search).get('query');
    const query = named ?? (await lastQueryOf(this.#bench.id, tab.id));
    if (query !== undefined) this.#bench.show(tab.id, { kind: 'results', query, commands: [] });
  }

  /** Runs everything, or the selection, or the statement at the cursor. */
  async run(what: 'statement' | 'all'): Promise<void> {
    const [tab, editor] = [this.#bench.active.value, this.#editor.current];
    if (tab?.text.value === undefined || editor === undefined) return;
    const commands = what === 'all' ? this.#statements(editor) : this.#chosen(editor);
    if (commands.length === 0) throw new Error('There is no statement to run.');
    editor.mark(null);
    editor.closeCompletion();
    await this.#bench.run(tab, textsOf(editor, commands), { kind: 'results', commands: withTexts(editor, commands) });
  }

  /** Asks the database how it would run the statement at the cursor. */
  async explain(): Promise<void> {
    const [tab, editor] = [this.#bench.active.value, this.#editor.current];
    if (tab?.text.value === undefined || editor === undefined) return;
    const [first] = textsOf(editor, this.#chosen(editor));
    if (first === undefined) throw new Error('There is no statement to explain.');
    await this.#bench.run(tab, [explainPrefix[this.#bench.type] + first], { kind: 'plan', commands: [] });
  }

  /** Lays out the selection, or the whole text. */
  async format(): Promise<void> {
    const editor = this.#editor.current;
    if (editor === undefined) return;
    const { formatSql } = await import('../../editor/format-sql.ts');
    const { from, to } = editor.selection;
    const place = from === to ? { from: 0, to: editor.text.length } : { from, to };
    const text = editor.text.slice(place.from, place.to);
    const laidOut = formatSql(text, this.#bench.type);
    if (laidOut !== text) editor.insert(laidOut, place);
  }

  /** Shows the results of an earlier query in the tab that is open. */
  showAgain(query: string): void {
    const tab = this.#bench.active.value;
    if (tab !== undefined) this.#bench.show(tab.id, { kind: 'results', query, commands: [] });
  }

  /** Marks where a command failed, if its text is still there. @param message the database's */
  mark({ commands }: Shown, index: number, message: string): void {
    const command = commands[index];
    const editor = this.#editor.current;
    if (command === undefined || editor?.text.slice(command.from, command.to) !== command.text) return;
    const place = faultPlace(command.text, message);
    if (place !== undefined) editor.mark({ from: command.from + place.from, to: command.from + place.to });
  }

  #statements(editor: CodeEditor): readonly Statement[] {
    return statementsOf(editor.text, this.#bench.type);
  }

  #chosen(editor: CodeEditor): readonly Statement[] {
    const { from, to } = editor.selection;
    if (from === to) {
      const statement = statementAt(editor.text, this.#statements(editor), from);
      return statement === undefined ? [] : [statement];
    }
    const statements = statementsOf(editor.text.slice(from, to), this.#bench.type);
    return statements.map((statement) => ({ from: from + statement.from, to: from + statement.to }));
  }
}

function textsOf(editor: CodeEditor, commands: readonly Statement[]): readonly string[] {
  const { text } = editor;
  return commands.map(({ from, to }) => text.slice(from, to));
}

function withTexts(editor: CodeEditor, commands: readonly Statement[]): Shown['commands'] {
  const { text } = editor;
  return commands.map(({ from, to }) => ({ from, to, text: text.slice(from, to) }));
}

async function lastQueryOf(editor: string, tab: string): Promise<string | undefined> {
  const queries = await call('listMyQueries', { query: { editor, limit: '50' } });
  return queries.find((query) => query.tab === tab)?.id;
}
