const asked = process.env['ROLECALL_PROPERTY_RUNS'] ?? 'quick';

/**
 * How many generated cases a property is tried with: few while a person waits, all in CI, or what ROLECALL_PROPERTY_RUNS says: a
 * number, or `all`.
 */
export function propertyRuns({ quick, all }: { quick: number; all: number }): number {
  if (asked === 'quick' || asked === '') return quick;
  if (asked === 'all') return all;
  const runs = Number(asked);
  if (!Number.isInteger(runs) || runs < 1)
    throw new Error(`ROLECALL_PROPERTY_RUNS must be a number or all, not ${asked}`);
  return runs;
}
