/** Filters of data sources: they select a part of a collection, and cap its size at what Terraform can take. */

import { refusal } from '../plugin/framework/diagnostics.ts';
import type { ObjectValue } from '../plugin/values/value.ts';

/** Terraform keeps every row in its state, and takes minutes and gigabytes for more. */
export const mostRows = 100_000;

/** True if an object has the values that a configuration gives. */
export function passes(row: ObjectValue, config: ObjectValue, filters: readonly string[]): boolean {
  return filters.every((name) => (config[name] ?? null) === null || row[name] === config[name]);
}

/** The filter values of the configuration. Terraform wants them back. */
export function chosen(config: ObjectValue, filters: readonly string[]): ObjectValue {
  return Object.fromEntries(filters.map((name) => [name, config[name] ?? null]));
}

/** @throws DiagnosticError when there are more rows than Terraform can take */
export function bounded<T>(rows: readonly T[], type: string, filters: readonly string[]): readonly T[] {
  if (rows.length <= mostRows) return rows;
  const remedy = filters.length === 0 ? 'Look up single objects instead' : `Narrow it by ${filters.join(', ')}`;
  throw refusal(
    `Too many rows in ${type}`,
    `${type} has ${rows.length} rows, and gives no more than ${mostRows}, which Terraform would keep in its state. ${remedy}, or read the workspace with rolecall export or its HTTP API.`,
    filters.slice(0, 1),
  );
}
