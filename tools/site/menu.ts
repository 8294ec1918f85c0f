import { siteAddress } from './links.ts';

/** An entry of the site's menu, as VitePress takes it. */
export interface Entry {
  text: string;
  link?: string | undefined;
  collapsed?: boolean;
  items?: Entry[];
}

/**
 * Reads the menu from the index of the documentation: a heading is a group, a link of a list an entry, and the links of a list
 * within it are below that entry.
 *
 * @param index the text of docs/README.md
 */
export function menuOf(index: string): Entry[] {
  const groups: Entry[] = [];
  let entries: Entry[] = groups;
  for (const line of index.split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) {
      entries = [];
      groups.push({ text: heading, collapsed: false, items: entries });
      continue;
    }
    const [, indent, text, target] = /^(\s*)- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? [];
    if (text === undefined || target === undefined || entries === groups) continue;
    const entry = { text, link: siteAddress('docs/README.md', target) };
    const above = indent === '' ? undefined : entries.at(-1);
    if (above === undefined) entries.push(entry);
    else {
      above.collapsed = true;
      (above.items ??= []).push(entry);
    }
  }
  return groups;
}

/** The versions that the changelog has a section for, the newest first. */
export function releasesOf(changelog: string): string[] {
  return [...changelog.matchAll(/^## \[?(\d+\.\d+\.\d+[^\]\s]*)/gm)].map(([, version]) => version ?? '');
}
