import type { Note, Refusal } from '../model/step.ts';

/** Beside another refusal, a token that overrides nothing is most likely that one's, misspelt. */
export function unusedOverrides(refusals: readonly Refusal[], overrides: readonly string[]): Refusal[] {
  const used = new Set(refusals.map(({ override }) => override));
  return overrides
    .filter((token) => !used.has(token))
    .map((token) => ({
      rail: 'override-unused',
      objects: [],
      message: `the override ${token} overrides nothing in this plan`,
      remedy: 'leave it out, or write the token just as the refusal gives it',
    }));
}

/** Where nothing is refused, a token that overrides nothing is left from a run that needed it. */
export function needlessOverrides(refusals: readonly Refusal[], overrides: readonly string[]): Note[] {
  return unusedOverrides(refusals, overrides).map(({ message, remedy }) => ({
    object: 'Overrides',
    message: `${message}: ${remedy}`,
  }));
}

/** Says which rails an override has put out of force, so that a reviewer sees it. */
export function overridden(refusals: readonly Refusal[], overrides: readonly string[]): Note[] {
  return refusals.flatMap(({ rail, message, override }) => {
    if (override === undefined || !overrides.includes(override)) return [];
    return [{ object: `The rail ${rail}`, message: `is overridden by ${override}: ${message}` }];
  });
}
