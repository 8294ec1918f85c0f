import { longestTagList, tagListPattern } from '@rolecall/api';
import { malformed } from '../../refusal.ts';

/** List of an If-Match or If-None-Match header: `*`, or entity tags. */
export type TagList = '*' | readonly EntityTag[];

export interface EntityTag {
  readonly isWeak: boolean;
  /** Without its quotes. */
  readonly value: string;
}

const tag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Reads a list of entity tags (RFC 9110, 8.8.3 and 13.1).
 *
 * @param name of the header, for the error
 * @throws Refusal malformed_request
 */
export function readTagList(name: string, header: string): TagList {
  const text = header.trim();
  if (text === '*') return '*';
  if (text.length > longestTagList || !tagListPattern.test(text)) {
    throw malformed(`${name} must be * or a list of entity tags in quotes, as an ETag header has them`);
  }
  return [...text.matchAll(tag)].map(([, weak, value = '']) => ({ isWeak: weak !== undefined, value }));
}

/** Strong comparison, for If-Match: a weak tag never fits. */
export function matchesStrongly(tags: TagList, current: string): boolean {
  return tags === '*' || tags.some(({ isWeak, value }) => !isWeak && value === current);
}

/** Weak comparison, for If-None-Match. */
export function matchesWeakly(tags: TagList, current: string): boolean {
  return tags === '*' || tags.some(({ value }) => value === current);
}
