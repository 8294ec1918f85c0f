import type { DataSource } from '@rolecall/api';
import { dataSourceKey } from '@rolecall/reconcile';
import type { Applied } from '../framework/resource.ts';
import type { Value } from '../values/value.ts';
import { keepSpelling } from './values.ts';

/** The alias as the state has it: as it was written, where that means the same. */
export function aliasOf(found: DataSource, written: Readonly<Record<string, Value>>): Value {
  return found.alias === null ? null : keepSpelling(written['alias'], found.alias, dataSourceKey);
}

/**
 * The state of a data source.
 *
 * @param written what was planned or imported, for what the service does not tell
 */
export function applied(
  found: DataSource,
  written: Readonly<Record<string, Value>>,
  privateState: Readonly<Record<string, string>>,
): Applied {
  return {
    state: {
      id: found.id,
      name: found.name,
      alias: aliasOf(found, written),
      uri: written['uri'] ?? null,
      password: written['password'] ?? null,
      password_wo: null,
      password_wo_version: written['password_wo_version'] ?? null,
      type: found.type,
      protected: written['protected'] ?? null,
      adopt: written['adopt'] ?? null,
      created_at: found.createdAt,
      updated_at: found.updatedAt,
    },
    private: privateState,
  };
}
