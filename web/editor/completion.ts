import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import type { DataSourceType } from '@rolecall/api';
import type { Catalogue, KnownTable } from './catalogue.ts';
import { keywordsOf } from './keywords.ts';
import { quoted } from './quoted.ts';

/** The most names in a list, and how much text around the cursor is searched for the names of tables. */
const mostOptions = 100;
const reach = 10_000;

/** Milliseconds that a list waits for the columns of new tables: keywords need not wait for a slow database. */
const longestWait = 2000;

const part = '(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)';
const path = new RegExp(`((?:${part}\\s*\\.\\s*)*)(["\`]?[\\w$\\u0080-\\uffff]*)$`);
const parts = new RegExp(part, 'g');
const named = new RegExp(
  `\\b(?:from|join|update|into|table)\\s+(${part})(?:\\s*\\.\\s*(${part}))?(?:\\s+(?:as\\s+)?(${part}))?`,
  'gi',
);
const wantsTable = /\b(?:from|join|update|into|table|describe|desc)\s+$/i;
/** Keywords that stand where an alias could. */
const noAlias = new Set('where on using join inner left right full cross set values order group limit'.split(' '));

interface Named {
  readonly table: KnownTable;
  readonly alias: string | undefined;
}

/**
 * Completes names of tables, and of columns of the tables that the text names, and keywords. It looks through what the page
 * knows: CodeMirror's own source would build an object for each name of the schema first.
 */
export function completeNames(catalogue: Catalogue, type: DataSourceType): CompletionSource {
  const keywords = keywordsOf(type).map((label): Completion => ({ label, type: 'keyword' }));
  return (context) => {
    const head = context.state.sliceDoc(Math.max(0, context.pos - reach), context.pos);
    const [, qualifier = '', word = ''] = path.exec(head) ?? [];
    if (!context.explicit && qualifier === '' && !/^["`]?[A-Za-z_\u0080-\uffff]/.test(word)) return null;
    const from = context.pos - word.length;
    const wanted = word.replace(/^["`]/, '').toLowerCase();
    const text = head + context.state.sliceDoc(context.pos, context.pos + reach);
    const those = tablesNamed(text, catalogue);
    if (qualifier !== '') return completeIn(qualifier, { wanted, from, those, catalogue, type });
    const unread = those.filter(({ table }) => catalogue.columnsOf(table) === undefined);
    const reading = unread.map(({ table }) => catalogue.readColumns(table).catch(() => undefined));
    const start = head.slice(0, head.length - word.length);
    if (wantsTable.test(start)) return completeTables({ context, wanted, from, catalogue, type });
    const list = (): CompletionResult => {
      const columns = those.flatMap(({ table }) => columnOptions(table, catalogue, wanted, type));
      const options = [
        ...columns,
        ...aliases(those, wanted),
        ...keywords.filter(({ label }) => label.startsWith(wanted)),
        ...(wanted === '' ? [] : tableOptions(catalogue.tables.value ?? [], wanted, { catalogue, type })),
      ];
      return { from, options: distinct(options), filter: false };
    };
    if (reading.length === 0) return list();
    const later = new Promise((resolve) => setTimeout(resolve, longestWait));
    // A person who went on to another part of the page while the columns were read wants no list over it.
    return Promise.race([Promise.all(reading), later]).then(() => (context.view?.hasFocus === false ? null : list()));
  };
}

interface In {
  readonly wanted: string;
  readonly from: number;
  readonly those: readonly Named[];
  readonly catalogue: Catalogue;
  readonly type: DataSourceType;
}

/** Completes after a dot: the columns of a table or an alias, or the tables of a schema. */
async function completeIn(
  qualifier: string,
  { wanted, from, those, catalogue, type }: In,
): Promise<CompletionResult | null> {
  const names = (qualifier.match(parts) ?? []).map(plain);
  const last = names.at(-1) ?? '';
  const schema = names.at(-2);
  const alias = those.find((mention) => mention.alias?.toLowerCase() === last.toLowerCase());
  const table = schema === undefined ? (alias?.table ?? catalogue.find(last)) : catalogue.find(last, schema);
  if (table !== undefined) {
    await catalogue.readColumns(table).catch(() => undefined);
    return { from, options: columnOptions(table, catalogue, wanted, type), filter: false };
  }
  const inSchema = (catalogue.tables.value ?? []).filter((table) => table.schema.toLowerCase() === last.toLowerCase());
  if (inSchema.length === 0) return null;
  return {
    from,
    options: tableOptions(inSchema, wanted, { catalogue, type, isQualified: true }),
    filter: false,
  };
}

interface Wanting {
  readonly context: CompletionContext;
  readonly wanted: string;
  readonly from: number;
  readonly catalogue: Catalogue;
  readonly type: DataSourceType;
}

function completeTables({ context, wanted, from, catalogue, type }: Wanting) {
  const listed = tableOptions(catalogue.tables.value ?? [], wanted, { catalogue, type });
  const schemas = schemaOptions(catalogue, wanted, type);
  const result = (options: readonly Completion[]): CompletionResult => ({
    from,
    options: distinct(options),
    filter: false,
  });
  if (catalogue.isComplete.value || wanted === '' || listed.length >= mostOptions)
    return result([...listed, ...schemas]);
  // There are more tables than the page knows.
  return catalogue.search(wanted).then(
    (tables) =>
      context.aborted ? null : result([...listed, ...tableOptions(tables, wanted, { catalogue, type }), ...schemas]),
    () => result([...listed, ...schemas]),
  );
}

interface TableNaming {
  readonly catalogue: Catalogue;
  readonly type: DataSourceType;
  /** True if the schema already stands before it. */
  readonly isQualified?: boolean;
}

/** Those that begin so, then those that contain it. */
function tableOptions(tables: readonly KnownTable[], wanted: string, naming: TableNaming): Completion[] {
  const first: KnownTable[] = [];
  const later: KnownTable[] = [];
  for (const table of tables) {
    const at = table.lower.indexOf(wanted);
    if (at === 0) first.push(table);
    else if (at > 0 && later.length < mostOptions) later.push(table);
    if (first.length >= mostOptions) break;
  }
  return [...first, ...later].slice(0, mostOptions).map((table) => tableOption(table, naming));
}

function tableOption({ schema, name, kind }: KnownTable, { catalogue, type, isQualified }: TableNaming): Completion {
  const quotedName = quoted(name, type);
  const isDefault = schema === catalogue.defaultSchema || isQualified === true;
  const whole = isDefault ? quotedName : `${quoted(schema, type)}.${quotedName}`;
  return { label: isDefault ? name : `${schema}.${name}`, apply: whole, detail: kind, type: kind };
}

function schemaOptions(catalogue: Catalogue, wanted: string, type: DataSourceType): Completion[] {
  return catalogue.schemas.value
    .filter((name) => name.toLowerCase().startsWith(wanted))
    .map((name) => ({ label: name, apply: `${quoted(name, type)}.`, detail: 'schema', type: 'schema' }));
}

function columnOptions(table: KnownTable, catalogue: Catalogue, wanted: string, type: DataSourceType): Completion[] {
  return (catalogue.columnsOf(table)?.columns ?? [])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map((column) => ({
      label: column.name,
      apply: quoted(column.name, type),
      detail: `${column.type} · ${table.name}`,
      type: 'column',
    }));
}

function aliases(those: readonly Named[], wanted: string): Completion[] {
  return those.flatMap(({ alias, table }) =>
    alias?.toLowerCase().startsWith(wanted) === true ? [{ label: alias, detail: `alias of ${table.name}` }] : [],
  );
}

/** The tables that a text names, with their aliases. */
function tablesNamed(text: string, catalogue: Catalogue): readonly Named[] {
  const mentions: Named[] = [];
  for (const [, first = '', second, third] of text.matchAll(named)) {
    const table = second === undefined ? catalogue.find(plain(first)) : catalogue.find(plain(second), plain(first));
    if (table === undefined) continue;
    const alias = third === undefined || noAlias.has(third.toLowerCase()) ? undefined : plain(third);
    if (!mentions.some((item) => item.table === table && item.alias === alias)) mentions.push({ table, alias });
  }
  return mentions;
}

/** A name without its quotes. */
function plain(name: string): string {
  const quote = name.charAt(0);
  if (quote !== '"' && quote !== '`') return name;
  return name.slice(1, -1).replaceAll(quote + quote, quote);
}

function distinct(options: readonly Completion[]): Completion[] {
  const seen = new Set<string>();
  return options.filter(({ label }) => !seen.has(label) && seen.add(label)).slice(0, mostOptions);
}
