/** Finds faults of a parsed document that the parser misses, or finds only in quadratic time. */

import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { limits } from './limits.ts';

export type TreeFaultKind =
  | 'duplicate-key'
  | 'separator-missing'
  | 'alias-unknown'
  | 'alias-circular'
  | 'aliases-many'
  | 'merge-source'
  | 'merges-many';

export interface TreeFault {
  readonly kind: TreeFaultKind;
  /** Offset in the text. */
  readonly offset: number;
}

interface Walk {
  readonly root: unknown;
  readonly faults: TreeFault[];
  /** The last node with each anchor so far: an alias stands for that. */
  readonly anchors: Map<string, Node>;
  /** The anchored nodes that are being walked. */
  readonly open: Set<Node>;
  /** Number of fields of a mapping, with those that it merges. */
  readonly sizes: Map<Node, number>;
  aliases: number;
  nestedAliases: number;
  merged: number;
}

/** Finds the faults of a document, in the order of its text. A fault of an alias or a merge ends the search: one is enough. */
export function findTreeFaults(document: Document.Parsed): TreeFault[] {
  const walk: Walk = {
    root: document.contents,
    faults: [],
    anchors: new Map(),
    open: new Set(),
    sizes: new Map(),
    aliases: 0,
    nestedAliases: 0,
    merged: 0,
  };
  walkNode(document.contents, walk);
  // Keys that repeat because a separator is missing between two definitions are one mistake.
  const separators = walk.faults.filter(({ kind }) => kind === 'separator-missing');
  return separators.length > 0 ? separators : walk.faults;
}

function isOver({ faults }: Walk): boolean {
  const last = faults.at(-1);
  const goesOn = last === undefined || last.kind === 'duplicate-key' || last.kind === 'separator-missing';
  return !goesOn || faults.length >= limits.problems;
}

function walkNode(node: unknown, walk: Walk): void {
  if (isOver(walk)) return;
  if (isAlias(node)) {
    walkAlias(node, walk);
    return;
  }
  if (isScalar(node)) {
    if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
    return;
  }
  if (!isMap(node) && !isSeq(node)) return;
  const { anchor } = node;
  if (anchor !== undefined) {
    walk.anchors.set(anchor, node);
    walk.open.add(node);
  }
  if (isMap(node)) walkMap(node, walk);
  else for (const item of node.items) walkNode(item, walk);
  walk.open.delete(node);
}

function walkMap(map: YAMLMap, walk: Walk): void {
  const keys = new Set<unknown>();
  const beginning = map === walk.root ? beginningOf(map) : undefined;
  let merged = 0;
  for (const pair of map.items) {
    const { key, value } = pair;
    if (isScalar(key)) {
      if (keys.has(key.value)) {
        const kind = key.value === beginning ? 'separator-missing' : 'duplicate-key';
        walk.faults.push({ kind, offset: offsetOf(key) });
      }
      keys.add(key.value);
    }
    walkNode(key, walk);
    walkNode(value, walk);
    if (isOver(walk)) return;
    if (isMerge(pair)) merged += walkMerge(value, walk);
  }
  if (merged > 0) walk.sizes.set(map, map.items.length + merged);
}

/** The key that begins every definition. Where it comes again, with a kind, another definition begins. */
function beginningOf({ items }: YAMLMap): string | undefined {
  const count = (name: string): number => items.filter(({ key }) => isScalar(key) && key.value === name).length;
  if (count('kind') < 2) return undefined;
  return count('apiVersion') < 2 ? 'kind' : 'apiVersion';
}

function walkAlias(alias: Alias, walk: Walk): void {
  const source = walk.anchors.get(alias.source);
  walk.aliases += 1;
  if (walk.open.size > 0) walk.nestedAliases += 1;
  if (source === undefined) fault('alias-unknown', alias, walk);
  else if (walk.open.has(source)) fault('alias-circular', alias, walk);
  else if (walk.aliases > limits.aliases || walk.nestedAliases > limits.nestedAliases)
    fault('aliases-many', alias, walk);
}

/** Counts the fields that a merge copies. The merged mapping stands earlier, so its own merges are counted already. */
function walkMerge(value: unknown, walk: Walk): number {
  const source = resolve(value, walk);
  let copied = 0;
  for (const item of isSeq(source) ? source.items : [source]) {
    const map = resolve(item, walk);
    if (!isMap(map)) {
      fault('merge-source', value, walk);
      return 0;
    }
    copied += walk.sizes.get(map) ?? map.items.length;
  }
  walk.merged += copied;
  if (walk.merged > limits.mergedFields) fault('merges-many', value, walk);
  return copied;
}

function resolve(value: unknown, { anchors }: Walk): unknown {
  return isAlias(value) ? anchors.get(value.source) : value;
}

/** True if the key of a pair is an unquoted `<<`, which the parser represents by a symbol. */
export function isMerge({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

function fault(kind: TreeFaultKind, node: unknown, walk: Walk): void {
  walk.faults.push({ kind, offset: offsetOf(node) });
}

function offsetOf(node: unknown): number {
  return (isScalar(node) || isAlias(node) || isMap(node) || isSeq(node)) && node.range ? node.range[0] : 0;
}
