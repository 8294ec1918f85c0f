import type { ListedSnippet } from '@rolecall/api';
import { ownerOf, snippetKey } from '@rolecall/reconcile';
import { distinct } from './distinct.ts';
import { type ExportedDocument, emptyPart, faultOf, type Part, quoted } from './document.ts';
import { firstFree, inOrder, readableName } from './names.ts';

/** The metadata.name of owners, by id. */
export interface Owners {
  people: ReadonlyMap<string, string>;
  roles: ReadonlyMap<string, string>;
}

/** Declares the snippets with their active version: those of a role in its file, those of a person in one of their own. */
export function composeSnippets(snippets: readonly ListedSnippet[], owners: Owners): Part {
  const { unique, leftOut } = distinct(snippets, keyOf, describeSnippet, 'they have one name and one owner');
  const composed = emptyPart();
  composed.leftOut.push(...leftOut);
  const taken = new Set<string>();
  for (const snippet of unique.sort(oldestFirst)) {
    const owner = ownerIn(snippet, owners);
    if (owner === undefined) {
      composed.leftOut.push({ what: describeSnippet(snippet), reason: 'its owner is left out', remedy: 'see there' });
      continue;
    }
    const document = declare(snippet, owner, taken);
    const fault = faultOf(document);
    if (fault === undefined) {
      taken.add(document.name);
      composed.placed.push({ file: owner.file, document });
    } else composed.leftOut.push({ what: describeSnippet(snippet), ...fault });
  }
  return composed;
}

interface Owner {
  /** The field `owner` of the definition; undefined for none. */
  field: { role: string } | { person: string } | undefined;
  name: string;
  file: string;
}

function ownerIn({ ownerPerson, ownerRole }: ListedSnippet, { people, roles }: Owners): Owner | undefined {
  if (ownerRole !== null) {
    const name = roles.get(ownerRole.id);
    return name === undefined ? undefined : { field: { role: name }, name, file: `roles/${name}.yaml` };
  }
  if (ownerPerson === null) return { field: undefined, name: 'nobody', file: 'snippets/_without-owner.yaml' };
  const name = people.get(ownerPerson.id);
  return name === undefined ? undefined : { field: { person: name }, name, file: `snippets/${name}.yaml` };
}

function declare(snippet: ListedSnippet, owner: Owner, taken: ReadonlySet<string>): ExportedDocument {
  const { name: shownName, description, text } = snippet.activeVersion;
  const isFree = (candidate: string): boolean => !taken.has(candidate);
  const readable = readableName(shownName) || 'snippet';
  const name = isFree(readable) ? readable : firstFree(`${readable}-${owner.name}`, isFree);
  return {
    kind: 'Snippet',
    name,
    spec: {
      name: shownName === name ? undefined : shownName,
      description: description === '' ? undefined : description,
      text,
      owner: owner.field,
      publicAccessLevel: snippet.publicAccessLevel === 'none' ? undefined : snippet.publicAccessLevel,
      locked: snippet.isLocked ? true : undefined,
    },
  };
}

function keyOf(snippet: ListedSnippet): string {
  return snippetKey(ownerOf(snippet), snippet.activeVersion.name);
}

function oldestFirst(a: ListedSnippet, b: ListedSnippet): number {
  return inOrder(a.createdAt, b.createdAt) || inOrder(keyOf(a), keyOf(b));
}

function describeSnippet({ activeVersion }: ListedSnippet): string {
  return `Snippet ${quoted(activeVersion.name)}`;
}
