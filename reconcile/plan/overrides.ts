import type { Note, Refusal } from '../model/step.ts';

/** A token that overrides nothing is a mistake that would go unnoticed until the day it matters. */
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

/** Says which rails an override has put out of force, so that a reviewer sees it. */
export function overridden(refusals: readonly Refusal[], overrides: readonly string[]): Note[] {
  return refusals.flatMap(({ rail, message, override }) => {
    if (override === undefined || !overrides.includes(override)) return [];
    return [{ object: `The rail ${rail}`, message: `is overridden by ${override}: ${message}` }];
  });
}
