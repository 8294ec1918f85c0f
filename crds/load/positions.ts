/** Finds the position of a document's path in the text. */

import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import type { Path } from '../path.ts';
import type { Position } from './problems.ts';
import { isMerge } from './tree-faults.ts';

interface Found {
  /** The key that leads to the value; absent for the root and for items of lists. */
  readonly key?: Node;
  readonly value: Node | null;
}

/**
 * Finds the position of a value, or of its key. If a field of the path is missing, it is the position of the key under which
 * the field would stand.
 */
export function positionOf(document: Document, lines: LineCounter, path: Path, at: 'key' | 'value'): Position {
  let target: Found = { value: document.contents };
  for (const part of path) {
    const next = step(document, target.value, part);
    if (next === undefined) return offsetPosition(lines, document, target.key ?? target.value);
    target = next;
  }
  const isEmpty = isScalar(target.value) && (target.value.range?.[0] ?? 0) === (target.value.range?.[1] ?? 0);
  const preferKey = at === 'key' || target.value === null || isEmpty;
  return offsetPosition(lines, document, preferKey ? (target.key ?? target.value) : target.value);
}

/** The node at a path, through aliases and merges; undefined if there is none. */
export function nodeAt(document: Document, path: Path): Node | undefined {
  let value: Node | null = document.contents;
  for (const part of path) value = step(document, value, part)?.value ?? null;
  return (isAlias(value) ? value.resolve(document) : value) ?? undefined;
}

/** The text of a scalar as it stands in the file, so that a remedy can quote it: `0755` and not 493. */
export function sourceOf(document: Document, path: Path): string | undefined {
  let value: Node | null = document.contents;
  for (const part of path) value = step(document, value, part)?.value ?? null;
  return isScalar(value) ? value.source : undefined;
}

function step(document: Document, parent: Node | null, part: string | number): Found | undefined {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isSeq(node)) {
    const item = typeof part === 'number' ? node.items[part] : undefined;
    return isNode(item) ? { value: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = pairsOf(node).get(String(part));
  if (pair !== undefined) return fromPair(pair);
  for (const merge of node.items) {
    if (!isMerge(merge)) continue;
    for (const merged of isSeq(merge.value) ? merge.value.items : [merge.value]) {
      const inside = isNode(merged) ? step(document, merged, part) : undefined;
      if (inside !== undefined) return inside;
    }
  }
  return undefined;
}

/** The pairs of a mapping by the text of their keys. It is kept, so that a mapping with many problems is searched once. */
const pairsByKey = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const cached = pairsByKey.get(map);
  if (cached !== undefined) return cached;
  // Of two equal keys, the value of the last one counts.
  const pairs = new Map(map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])));
  pairsByKey.set(map, pairs);
  return pairs;
}

function fromPair({ key, value }: Pair): Found {
  return { ...(isNode(key) ? { key } : {}), value: isNode(value) ? value : null };
}

function offsetPosition(lines: LineCounter, document: Document, node: Node | null): Position {
  return linePosition(lines, node?.range?.[0] ?? document.contents?.range?.[0] ?? document.range?.[0] ?? 0);
}

/** Line and column, both from 1, of an offset. */
export function linePosition(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}
