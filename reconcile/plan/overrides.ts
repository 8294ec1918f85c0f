import type { DeclaredOverride } from '@rolecall/crds';
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
export function overridden(
  refusals: readonly Refusal[],
  overrides: readonly string[],
  declared: readonly DeclaredOverride[],
): Note[] {
  return refusals.flatMap(({ rail, message, override }) => {
    const declaration = declared.find(({ token }) => token === override);
    if (override === undefined || (declaration === undefined && !overrides.includes(override))) return [];
    const why = declaration === undefined ? '' : `, until ${declaration.until} because ${declaration.reason}`;
    return [{ object: `The rail ${rail}`, message: `is overridden by ${override}${why}: ${message}` }];
  });
}

const dayMs = 86_400_000;
const longestDays = 7;

/**
 * The declared overrides that apply now, and what is to be said of the others. One applies on its last seven days only, so that
 * none can be declared once and for all.
 */
export function declaredOverrides(
  declared: readonly DeclaredOverride[],
  now: Date,
): { active: DeclaredOverride[]; notes: Note[] } {
  const active: DeclaredOverride[] = [];
  const notes: Note[] = [];
  for (const override of declared) {
    const { token, until } = override;
    const end = Date.parse(until) + dayMs;
    if (token.startsWith('replace-person:'))
      notes.push({
        object: `The override ${token}`,
        message: 'overrides nothing any more, since people are edited in place: remove it',
      });
    else if (now.getTime() >= end)
      notes.push({ object: `The override ${token}`, message: `ended on ${until}, and can be removed` });
    else if (now.getTime() < end - longestDays * dayMs) {
      const from = new Date(end - longestDays * dayMs).toISOString().slice(0, 10);
      notes.push({ object: `The override ${token}`, message: `applies from ${from} to ${until} only` });
    } else active.push(override);
  }
  return { active, notes };
}
