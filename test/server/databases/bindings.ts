import assert from 'node:assert/strict';
import type { Bindings } from '../../../server/databases/session.ts';
import { run } from './collect.ts';

/** Runs one command with bindings. @returns its first row, or the message of its failure */
export async function bound(uri: string, command: string, bindings: Bindings): Promise<(string | null)[] | string> {
  const { outcome, results } = await run(uri, [command], { bindings });
  if (!outcome.success) return outcome.message;
  return results[0]?.rows[0] ?? assert.fail('there is no row');
}

/** Would be SQL, the end of a text or another value wherever a value became a part of the command. */
export const awkward = `'; drop table t; -- \\' \\ " \u{1f984} \n$1 ? :a %s`;
