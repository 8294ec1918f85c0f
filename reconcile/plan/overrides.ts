import type { Note, Refusal } from '../model/step.ts';

/** A token that overrides nothing is left from a run that needed it, or misspelt. */
export function needlessOverrides(refusals: readonly Refusal[], overrides: readonly string[]): Note[] {
  const used = new Set(refusals.map(({ override }) => override));
  return overrides
    .filter((token) => !used.has(token))
    .map((token) => ({
      object: `The override ${token}`,
      message: 'overrides nothing in this plan: leave it out, or write the token just as a refusal gives it',
    }));
}

/** Says which rails an override has put out of force, so that a reviewer sees it. */
export function overridden(refusals: readonly Refusal[], overrides: readonly string[]): Note[] {
  return refusals.flatMap(({ rail, message, override }) => {
    if (override === undefined || !overrides.includes(override)) return [];
    return [{ object: `The rail ${rail}`, message: `is overridden by ${override}: ${message}` }];
  });
}
