import type { SelectType } from 'kysely';
import type { Tables } from './tables.ts';

/*
 * A list of columns says once which column is which field: `['id', 'created_at as createdAt'] as const`. Queries select by it, `rowOf`
 * writes by it, and `Fields` is the type of what it selects.
 */

type Unqualified<C extends string> = C extends `${string}.${infer Column}` ? Column : C;
type ColumnOf<S extends string> = Unqualified<S extends `${infer Column} as ${string}` ? Column : S>;
type FieldOf<S extends string> = S extends `${string} as ${infer Field}` ? Field : Unqualified<S>;

/** The fields that columns of a table are selected as. */
export type Fields<T extends keyof Tables, L extends readonly string[]> = {
  readonly [S in L[number] as FieldOf<S>]: SelectType<Tables[T][ColumnOf<S> & keyof Tables[T]]>;
};

/** The row that is selected as these fields: what to insert, or to set. Other fields may be there too. */
export function rowOf<const L extends readonly string[], P extends { [F in FieldOf<L[number]>]: unknown }>(
  columns: L,
  fields: P,
): { [S in L[number] as ColumnOf<S>]: P[FieldOf<S>] } {
  const row = columns.map((selected) => {
    const [column = '', field = unqualified(column)] = selected.split(' as ');
    return [unqualified(column), fields[field as FieldOf<L[number]>]];
  });
  // The types say the same of each column.
  return Object.fromEntries(row) as { [S in L[number] as ColumnOf<S>]: P[FieldOf<S>] };
}

function unqualified(column: string): string {
  return column.slice(column.indexOf('.') + 1);
}
