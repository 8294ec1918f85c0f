import { computed, signal } from '@preact/signals';
import type { SchemaColumns, SchemaTable, SchemaTables } from '@rolecall/api';
import { call } from '../person-client.ts';

/** As many tables as the service gives at a time. If there are more, the page asks for those that begin like the typed text. */
const mostKnown = 10_000;
const mostFound = 100;

/** A table with what finding it takes, made once. */
export interface KnownTable extends SchemaTable {
  readonly lower: string;
}

/** The tables and columns of a data source, as far as this page has read them. */
export class Catalogue {
  /** Undefined until they were read. */
  readonly tables = signal<readonly KnownTable[] | undefined>(undefined);
  readonly schemas = computed(() => [...new Set(this.tables.value?.map(({ schema }) => schema))]);
  readonly columns = signal<ReadonlyMap<string, SchemaColumns>>(new Map());
  readonly error = signal<Error | undefined>(undefined);
  readonly isComplete = signal(true);
  defaultSchema: string | null = null;
  readonly #source: string;
  readonly #asked = new Map<string, Promise<SchemaColumns>>();
  readonly #searches = new Map<string, Promise<readonly KnownTable[]>>();
  readonly #byKey = new Map<string, KnownTable>();

  constructor(dataSource: string) {
    this.#source = dataSource;
  }

  /** Reads the tables. @param fresh asks the database instead of the service's memory */
  async read(fresh = false): Promise<void> {
    try {
      this.error.value = undefined;
      const answer = await this.#list({ limit: String(mostKnown), ...(fresh ? { fresh: 'true' as const } : {}) });
      this.defaultSchema = answer.defaultSchema;
      this.#asked.clear();
      this.#searches.clear();
      this.#byKey.clear();
      this.columns.value = new Map();
      this.isComplete.value = answer.isComplete;
      this.tables.value = [];
      this.#learn(answer.tables);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Shows why something could not be read. */
  readonly fail = (error: unknown): void => {
    this.error.value = error instanceof Error ? error : new Error(String(error));
  };

  /** The columns of a table, once they were read. */
  columnsOf(table: SchemaTable): SchemaColumns | undefined {
    return this.columns.value.get(keyOf(table));
  }

  /** Reads the columns of a table, once. @throws Problem, Unreachable */
  readColumns(table: SchemaTable): Promise<SchemaColumns> {
    const key = keyOf(table);
    const asked = this.#asked.get(key) ?? this.#readColumns(table, key);
    this.#asked.set(key, asked);
    return asked;
  }

  /** Asks the service for the tables whose names begin like this, and knows them from then on. @throws Problem, Unreachable */
  search(prefix: string): Promise<readonly KnownTable[]> {
    const asked = this.#searches.get(prefix) ?? this.#search(prefix);
    this.#searches.set(prefix, asked);
    return asked;
  }

  /** Finds a table that a statement names. @param schema undefined where it names none */
  find(name: string, schema?: string): KnownTable | undefined {
    const wanted = name.toLowerCase();
    const same = this.tables.value?.filter(({ lower }) => lower === wanted) ?? [];
    const [first] = same;
    if (schema !== undefined) return same.find((table) => table.schema.toLowerCase() === schema.toLowerCase());
    return same.find((table) => table.schema === this.defaultSchema) ?? first;
  }

  async #search(prefix: string): Promise<readonly KnownTable[]> {
    try {
      return this.#learn((await this.#list({ prefix, limit: String(mostFound) })).tables);
    } catch (error) {
      this.#searches.delete(prefix);
      throw error;
    }
  }

  #learn(tables: readonly SchemaTable[]): readonly KnownTable[] {
    const fresh = tables.filter((table) => !this.#byKey.has(keyOf(table))).map(withLowerCase);
    for (const table of fresh) this.#byKey.set(keyOf(table), table);
    if (fresh.length > 0) this.tables.value = [...(this.tables.value ?? []), ...fresh];
    return tables.flatMap((table) => this.#byKey.get(keyOf(table)) ?? []);
  }

  #list(query: { prefix?: string; limit: string; fresh?: 'true' }): Promise<SchemaTables> {
    return call('listSchemaTables', { params: { dataSource: this.#source }, query });
  }

  async #readColumns({ schema, name }: SchemaTable, key: string): Promise<SchemaColumns> {
    try {
      const query = { schema, table: name };
      const answer = await call('listSchemaColumns', { params: { dataSource: this.#source }, query });
      this.columns.value = new Map(this.columns.value).set(key, answer);
      return answer;
    } catch (error) {
      this.#asked.delete(key);
      throw error;
    }
  }
}

function withLowerCase(table: SchemaTable): KnownTable {
  return { ...table, lower: table.name.toLowerCase() };
}

function keyOf({ schema, name }: SchemaTable): string {
  return JSON.stringify([schema, name]);
}
