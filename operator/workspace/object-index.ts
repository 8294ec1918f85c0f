/** The objects of one workspace, found by their labels and by what they have and refer to. */

import { isAnnotated, type ObjectDefinition } from '@rolecall/crds';
import { type CustomObject, labelOf } from '../resources/custom-object.ts';
import { endTokens, type Ref, refTokens, type Tokens, tokensOf } from './index-keys.ts';

/** An object with what it declares. */
export interface Member {
  readonly object: CustomObject;
  readonly definition: ObjectDefinition;
  /** Why it is not valid: then the definition is what could be read of it last, and it is left as it is. */
  readonly problem?: string | undefined;
}

/** What an object refers to: every token by which others may refer to the same, and how many do, counted once for each token. */
export interface Meaning {
  readonly tokens: ReadonlySet<string>;
  readonly count: number;
}

export interface Members {
  readonly get: (label: string) => Member | undefined;
  readonly labels: () => Iterable<string>;
  readonly all: () => Iterable<Member>;
  readonly size: () => number;
  /** Adds an object, or takes it as it is now. */
  readonly put: (member: Member) => void;
  readonly remove: (label: string) => void;
  /** Those that have a token. */
  readonly having: (token: string) => Iterable<string>;
  /** Those that a reference may stand for. */
  readonly meantBy: (ref: Ref) => string[];
  /** Those that refer to an object, by whichever of its names. */
  readonly referringTo: (label: string) => Set<string>;
  /** What each reference of an object stands for, and of a permission the moment at which it ends. */
  readonly meaningsOf: (label: string) => Meaning[];
  /** Those that refer to something by one of these tokens. */
  readonly referringBy: (tokens: Iterable<string>) => string[];
  readonly refersTo: (label: string, tokens: ReadonlySet<string>) => boolean;
  readonly taking: (source: string) => Iterable<string>;
  /** Whether there is any object of a kind. */
  readonly has: (kind: string) => boolean;
  readonly ownOf: (label: string) => readonly string[];
  readonly refsOf: (label: string) => readonly Ref[];
  /** Roles that may not be left without anybody who can get in. */
  readonly protectedRoles: ReadonlySet<string>;
}

export function createMembers(): Members {
  const all = new Map<string, Member & { readonly tokens: Tokens; readonly ends: readonly string[] }>();
  const own: Labels = new Map();
  const referring: Labels = new Map();
  const taking: Labels = new Map();
  const protectedRoles = new Set<string>();
  const counts = new Map<string, number>();

  function count({ kind }: ObjectDefinition, by: number): void {
    counts.set(kind, (counts.get(kind) ?? 0) + by);
  }

  function remove(label: string): void {
    const known = all.get(label);
    if (known === undefined) return;
    all.delete(label);
    protectedRoles.delete(label);
    count(known.definition, -1);
    for (const token of known.tokens.own) leave(own, token, label);
    for (const ref of known.tokens.refs) for (const token of refTokens(ref)) leave(referring, token, label);
    for (const end of known.ends) leave(referring, end, label);
    for (const token of known.tokens.sources) leave(taking, token, label);
  }

  function add(label: string, { object, definition, problem }: Member): void {
    const tokens = tokensOf(definition);
    const ends = endTokens(definition, object.status);
    all.set(label, { object, definition, problem, tokens, ends });
    count(definition, 1);
    if (definition.kind === 'Role' && isAnnotated(definition, 'rolecall.dev/protected')) protectedRoles.add(label);
    for (const token of tokens.own) enter(own, token, label);
    for (const ref of tokens.refs) for (const token of refTokens(ref)) enter(referring, token, label);
    for (const end of ends) enter(referring, end, label);
    for (const token of tokens.sources) enter(taking, token, label);
  }

  const meantBy = (ref: Ref): string[] => [...new Set(refTokens(ref).flatMap((token) => [...labelsOf(own, token)]))];
  function tokensMeaning(ref: Ref): Set<string> {
    const tokens = new Set(refTokens(ref));
    for (const label of meantBy(ref)) for (const token of all.get(label)?.tokens.own ?? []) tokens.add(token);
    return tokens;
  }
  const referringBy = (tokens: Iterable<string>): string[] => [
    ...new Set([...tokens].flatMap((token) => [...labelsOf(referring, token)])),
  ];

  return {
    get: (label) => all.get(label),
    labels: () => all.keys(),
    all: () => all.values(),
    size: () => all.size,
    put: (member) => {
      const label = labelOf(member.object);
      const known = all.get(label);
      const isSame =
        known?.definition === member.definition && known.object.status.expiresAt === member.object.status.expiresAt;
      if (isSame) all.set(label, { ...known, object: member.object, problem: member.problem });
      else {
        remove(label);
        add(label, member);
      }
    },
    remove,
    having: (token) => labelsOf(own, token),
    meantBy,
    referringTo: (label) => new Set(referringBy(all.get(label)?.tokens.own ?? [])),
    meaningsOf: (label) => {
      const { refs = [] } = all.get(label)?.tokens ?? {};
      const ends = all.get(label)?.ends ?? [];
      return [...refs.map(tokensMeaning), ...(ends.length === 0 ? [] : [new Set(ends)])].map((tokens) => {
        let count = 0;
        for (const token of tokens) count += countOf(referring, token);
        return { tokens, count };
      });
    },
    refersTo: (label, tokens) => {
      const known = all.get(label);
      if (known === undefined) return false;
      return (
        known.ends.some((end) => tokens.has(end)) ||
        known.tokens.refs.some((ref) => refTokens(ref).some((token) => tokens.has(token)))
      );
    },
    referringBy,
    taking: (source) => labelsOf(taking, source),
    has: (kind) => (counts.get(kind) ?? 0) > 0,
    ownOf: (label) => all.get(label)?.tokens.own ?? [],
    refsOf: (label) => all.get(label)?.tokens.refs ?? [],
    protectedRoles,
  };
}

/** Labels by token. Nearly all have one, which takes no set of its own: of ten thousand objects, that is megabytes. */
type Labels = Map<string, string | Set<string>>;

function enter(index: Labels, token: string, label: string): void {
  const known = index.get(token);
  if (known === undefined) index.set(token, label);
  else if (typeof known !== 'string') known.add(label);
  else if (known !== label) index.set(token, new Set([known, label]));
}

function leave(index: Labels, token: string, label: string): void {
  const known = index.get(token);
  if (known === label) index.delete(token);
  else if (typeof known === 'object' && known.delete(label) && known.size === 0) index.delete(token);
}

function labelsOf(index: Labels, token: string): Iterable<string> {
  const known = index.get(token);
  return typeof known === 'string' ? [known] : (known ?? []);
}

function countOf(index: Labels, token: string): number {
  const known = index.get(token);
  return typeof known === 'object' ? known.size : known === undefined ? 0 : 1;
}
