import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The changelog's section for a release, or the unreleased one. */
export function releaseNotes(root: string, version: string): string {
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  return sectionOf(changelog, version) ?? sectionOf(changelog, 'Unreleased') ?? '';
}

/** @returns undefined where the changelog has no such section */
export function sectionOf(changelog: string, title: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => /^\[?([^\]\s]+)/.exec(section)?.[1] === title);
  return found === undefined ? undefined : `## ${found.trim()}\n`;
}
