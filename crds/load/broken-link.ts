/** Says which symbolic link is in the way of a path. */

import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The most links that are followed one after the other, as in Linux. */
const mostLinks = 40;

/**
 * Describes the link at a path, or above it, that leads nowhere.
 *
 * @returns as in "is a link to gone.yaml, which does not exist"; undefined if no link is at fault
 */
export function brokenLink(path: string): string | undefined {
  const absolute = resolve(path);
  const link = prefixes(absolute).find((prefix) => isLink(prefix) && codeAt(prefix) !== undefined);
  if (link === undefined) return undefined;
  const targets = targetsOf(link);
  const where = link === absolute ? 'is' : `cannot be reached: ${link} is`;
  return `${where} a link to ${targets.join(', and on to ')}, ${faultOf(codeAt(link))}`;
}

/** A path and the folders above it, from the top. */
function prefixes(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [...prefixes(above), path];
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The code with which following a link fails; undefined if it leads somewhere. */
function codeAt(link: string): string | undefined {
  try {
    statSync(link);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  }
}

/** Returns the chain of targets that a link leads to, as they are written; a loop ends at its first repetition. */
function targetsOf(link: string): string[] {
  const targets: string[] = [];
  const seen = new Set<string>();
  let at = link;
  while (isLink(at) && !seen.has(at) && targets.length < mostLinks) {
    seen.add(at);
    const target = readlinkSync(at);
    targets.push(target);
    at = resolve(dirname(at), target);
  }
  return targets;
}

function faultOf(code: string | undefined): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'which does not exist';
  if (code === 'ELOOP') return 'and its links go round in a circle';
  if (code === 'EACCES' || code === 'EPERM') return 'which cannot be read: permission denied';
  return `which cannot be read (${code ?? 'unknown error'})`;
}
