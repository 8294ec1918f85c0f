import { batch, computed, signal } from '@preact/signals';
import type { DataSourceReference, DataSourceType, MyEditor } from '@rolecall/api';
import type { Statement } from '../../editor/statements.ts';
import { TabText } from '../../editor/tab-text.ts';
import { type Variable, variablesOf } from '../../editor/variables.ts';
import { call } from '../../person-client.ts';
import { navigate } from '../../router.ts';

/** Contents of the pane under the editor for a tab: the results of a query, or the plan of a statement. */
export interface Shown {
  readonly kind: 'results' | 'plan';
  readonly query: string;
  /** Places in the text at which the commands began; empty where the query was not run from the text as it is. */
  readonly commands: readonly (Statement & { readonly text: string })[];
}

/** Milliseconds for which a deleted tab can be restored. */
const deletedFor = 20_000;

interface Opening extends Pick<Workbench, 'type' | 'hasGateway'> {
  /** The person's id. */
  readonly person: string;
}

/** An editor as a window shows it: its tabs, which of them is open, and what each of them ran last. */
export class Workbench {
  readonly id: string;
  readonly source: DataSourceReference;
  readonly type: DataSourceType;
  /** True if a gateway serves the data source. */
  readonly hasGateway: boolean;
  readonly tabs = signal<readonly TabText[]>([]);
  readonly shown = signal<ReadonlyMap<string, Shown>>(new Map());
  readonly active = computed(() => this.tabs.value.find(({ id }) => id === this.#chosen.value) ?? this.tabs.value[0]);
  /** The tab that was deleted last, until it is restored or its note has been there for a while. */
  readonly deleted = signal<{ readonly title: string; readonly text: string } | undefined>(undefined);
  /** Variables of the statement that was run last, which take values from the person. */
  readonly variables = signal<readonly Variable[]>([]);
  readonly values = signal<ReadonlyMap<string, string | null>>(new Map());
  readonly #person: string;
  readonly #chosen = signal('');

  constructor({ id, dataSource, tabs }: MyEditor, { person, type, hasGateway }: Opening) {
    this.id = id;
    this.source = dataSource;
    this.type = type;
    this.hasGateway = hasGateway;
    this.#person = person;
    this.tabs.value = tabs.map((tab) => this.#newText(tab));
    this.#chosen.value = new URLSearchParams(location.search).get('tab') ?? '';
  }

  /** Opens a tab, and has the address name it. */
  choose(tab: TabText): void {
    this.active.value?.save();
    this.#chosen.value = tab.id;
    this.variables.value = [];
    navigate(`/editor/${this.id}?tab=${tab.id}`, 'replace');
  }

  async addTab(text = '', title = this.#freeTitle()): Promise<void> {
    const tab = await call('createTab', { params: { editor: this.id }, body: { title, text } });
    const added = this.#newText(tab);
    await added.read();
    this.tabs.value = [...this.tabs.value, added];
    this.choose(added);
  }

  /** Deletes a tab; `restoreTab` makes it again. */
  async deleteTab(tab: TabText): Promise<void> {
    if (tab.text.value === undefined) await tab.read();
    const deleted = { title: tab.title.value, text: tab.text.value ?? '' };
    await call('deleteTab', { params: { editor: this.id, tab: tab.id } });
    tab.forget();
    const index = this.tabs.value.indexOf(tab);
    const left = this.tabs.value.filter((other) => other !== tab);
    const next = left[Math.min(index, left.length - 1)];
    batch(() => {
      this.tabs.value = left;
      if (next !== undefined && this.#chosen.value === tab.id) this.choose(next);
      this.deleted.value = deleted.text.trim() === '' ? undefined : deleted;
    });
    setTimeout(() => {
      if (this.deleted.value === deleted) this.deleted.value = undefined;
    }, deletedFor);
  }

  async restoreTab(): Promise<void> {
    const deleted = this.deleted.value;
    if (deleted === undefined) return;
    await this.addTab(deleted.text, deleted.title);
    this.deleted.value = undefined;
  }

  /** Makes a tab with what was typed into one that another window deleted. */
  async keepAsNew(tab: TabText): Promise<void> {
    await this.addTab(tab.text.value ?? '', tab.title.value);
    tab.forget();
    this.tabs.value = this.tabs.value.filter((other) => other !== tab);
  }

  /** Takes over what other windows have changed: their tabs, and the text of the one that is open here. */
  async refresh(): Promise<void> {
    const { tabs } = await call('getMyEditor', { params: { editor: this.id } });
    const texts = new Map(this.tabs.value.map((tab) => [tab.id, tab]));
    const listed = tabs.map((tab) => texts.get(tab.id) ?? this.#newText(tab));
    // A tab that another window deleted stays while it has a text that is nowhere else.
    const kept = this.tabs.value.filter((tab) => !listed.includes(tab) && tab.state.value.kind !== 'saved');
    this.tabs.value = [...listed, ...kept];
    await this.active.value?.read();
  }

  /** Runs commands, and shows what comes of them. */
  async run(tab: TabText, commands: readonly string[], shown: Pick<Shown, 'kind' | 'commands'>): Promise<void> {
    const parameters = this.#parametersOf(commands);
    if (parameters === 'asked') return;
    tab.save();
    const params = { editor: this.id };
    const body = { commands: [...commands], tab: tab.id, ...(parameters === undefined ? {} : { parameters }) };
    const { queryId } = await call('executeInEditor', { params, body });
    this.show(tab.id, { ...shown, query: queryId });
  }

  show(tab: string, shown: Shown): void {
    this.shown.value = new Map(this.shown.value).set(tab, shown);
  }

  saveAll(): void {
    for (const tab of this.tabs.value) tab.save();
  }

  close(): void {
    for (const tab of this.tabs.value) tab.close();
  }

  /** @returns what the commands take from outside; `asked` where the person has to give it first */
  #parametersOf(commands: readonly string[]): Record<string, string | null> | 'asked' | undefined {
    const variables = commands.flatMap((command) => variablesOf(command, this.type));
    if (commands.length > 1 && variables.length > 0) {
      throw new Error('A statement with variables runs alone: put the cursor into it and choose Run.');
    }
    const values = this.values.value;
    const isKnown = variables.every(({ name }) => values.has(name));
    batch(() => {
      this.variables.value = variables;
      this.values.value = new Map([
        ...values,
        ...variables.map(({ name }) => [name, values.get(name) ?? null] as const),
      ]);
    });
    if (!isKnown) return 'asked';
    if (variables.length === 0) return undefined;
    return Object.fromEntries(variables.map(({ name }) => [name, values.get(name) ?? null]));
  }

  #newText({ id, title }: { id: string; title: string }): TabText {
    return new TabText({ person: this.#person, editor: this.id, tab: id }, title);
  }

  #freeTitle(): string {
    const taken = new Set(this.tabs.value.map(({ title }) => title.value));
    for (let count = this.tabs.value.length + 1; ; count += 1) {
      const title = `Untitled ${count}`;
      if (!taken.has(title)) return title;
    }
  }
}
