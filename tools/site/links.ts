import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** What this code uses of markdown-it, which comes with VitePress. */
interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet: (name: string) => string | null;
  attrSet: (name: string, value: string) => void;
}
interface Markdown {
  readonly core: {
    readonly ruler: {
      push: (name: string, rule: (state: { readonly tokens: readonly Token[]; readonly env: unknown }) => void) => void;
    };
  };
}

/** Where the site and the repository are. */
export interface Places {
  /** The folder of the repository. */
  readonly root: string;
  /** Its address on the web. */
  readonly repository: string;
}

/** Pages that the site has, by their place in the repository. */
const onSite = /^(docs\/.*|examples\/(.*\/)?README|provider\/docs\/.*|operator\/deploy\/README|site\/index)\.md$/;

/**
 * The place on the site of a page of the repository.
 *
 * @param name from the root of the repository
 */
export function siteName(name: string): string {
  if (name === 'docs/README.md') return 'pages.md';
  return name
    .replace(/^(docs|site)\//, '')
    .replace(/^provider\/docs\//, 'provider/')
    .replace(/(^|\/)README\.md$/, '$1index.md');
}

/**
 * The fragment of a heading, as code hosts make it, so that a link works there and on the site.
 *
 * @param heading its text
 */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * The address on the site of what a page links to.
 *
 * @param from the page, from the root of the repository
 * @param target as the page has it, such as `../examples/acme/README.md#people`
 * @returns undefined where the site has no such page
 */
export function siteAddress(from: string, target: string): string | undefined {
  const [file = '', fragment] = target.split('#');
  const name = path.posix.join(path.posix.dirname(from), file);
  if (!onSite.test(name)) return undefined;
  const address = `/${siteName(name)}`.replace(/(index)?\.md$/, '');
  return fragment === undefined ? address : `${address}#${fragment}`;
}

/**
 * Lets links between files of the repository work on the site: to a page of it, else to the file in the repository.
 *
 * @throws when a link leads to no file
 */
export function resolveLinks(markdown: Markdown, { root, repository }: Places): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const { path: file, realPath = file } = env as { path: string; realPath?: string };
    const from = path.relative(root, realPath);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const target = token.type === 'link_open' ? token.attrGet('href') : null;
      if (target === null || /^([a-z]+:|#|\/)/.test(target)) continue;
      token.attrSet('href', siteAddress(from, target) ?? repositoryAddress(from, target, root, repository));
    }
  });
}

function repositoryAddress(from: string, target: string, root: string, repository: string): string {
  const [file = ''] = target.split('#');
  const name = path.join(path.dirname(from), file);
  if (!existsSync(path.join(root, name))) throw new Error(`${from}: there is no ${name}, to which it links`);
  const view = statSync(path.join(root, name)).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${view}/main/${path.posix.normalize(name)}`;
}
