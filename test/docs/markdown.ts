import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** A page of the documentation. */
export interface Page {
  /** From the root of the repository. */
  name: string;
  text: string;
}

export interface Fence {
  language: string;
  text: string;
  /** On which the fence opens, from 1. */
  line: number;
}

/** Every page that people read: those at the top, in docs/ and in examples/. */
export function readPages(): Page[] {
  const names = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root });
  return names.toSorted().map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));
}

/** The fenced blocks of a page. */
export function fencesOf({ text }: Page): Fence[] {
  const fences: Fence[] = [];
  let open: Fence | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^\s*```(\w*)/.exec(line);
    if (open === undefined && mark !== null) open = { language: mark[1] ?? '', text: '', line: index + 1 };
    else if (open !== undefined && mark !== null) {
      fences.push(open);
      open = undefined;
    } else if (open !== undefined) open.text += `${line}\n`;
  }
  return fences;
}

/** The targets of the links of a page, outside of code. */
export function linksOf(page: Page): string[] {
  return [...withoutCode(page).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target ?? '');
}

/** The fragments under which the headings of a page can be linked to, as code hosts make them. */
export function anchorsOf(page: Page): Set<string> {
  const headings = [...withoutFences(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutFences({ text }: Page): string {
  return text.replace(/^\s*```[\s\S]*?^\s*```/gm, '');
}

function withoutCode(page: Page): string {
  return withoutFences(page).replace(/`[^`]*`/g, '');
}
