import { type DesiredObject, label } from '../model/desired.ts';
import type { Refusal } from '../model/step.ts';
import type { Collection } from '../view/view.ts';
import type { Observation } from './kind.ts';
import type { Scope } from './scope.ts';

export interface Candidate<T> extends Observation {
  object: T | undefined;
  ambiguous: Refusal | undefined;
}

/**
 * The one object on the server that a definition means: the one with the remembered id, else the one with its natural
 * key, unless another definition remembers that one. Two candidates are refused with both named, because adopting the wrong one would
 * change another person's access.
 */
export function oneCandidate<T extends { id: string }>(
  desired: DesiredObject,
  { rememberedBy }: Pick<Scope, 'rememberedBy'>,
  collection: Pick<Collection<T>, 'byId' | 'byKey'>,
  key: string,
  nameObject: (object: T) => string,
): Candidate<T> {
  const remembered = desired.id === undefined ? undefined : collection.byId.get(desired.id);
  if (remembered !== undefined) return { object: remembered, ambiguous: undefined, claims: [remembered.id] };
  const candidates = (collection.byKey.get(key) ?? []).filter(({ id }) => rememberedBy(desired.kind, id) === undefined);
  const claims = candidates.map(({ id }) => id);
  if (candidates.length < 2) return { object: candidates[0], ambiguous: undefined, claims };
  return { object: undefined, ambiguous: ambiguity(desired, candidates, nameObject), claims };
}

/** The refusal for several objects that could each be the one that is meant. */
function ambiguity<T extends { id: string }>(
  desired: DesiredObject,
  candidates: readonly T[],
  nameObject: (object: T) => string,
): Refusal {
  const named = candidates.map((object) => `${nameObject(object)} (id ${object.id})`).join(' and ');
  return {
    rail: 'ambiguous',
    objects: [label(desired)],
    message: `${label(desired)} could be any of ${candidates.length} objects on the server: ${named}`,
    remedy: `annotate it with rolecall.dev/id: "${candidates[0]?.id ?? ''}", or the other id, or delete or rename all but one of them`,
  };
}
