import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { anchorOf, resolveLinks, siteName } from '../../tools/site/links.ts';
import { menuOf, releasesOf } from '../../tools/site/menu.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(import.meta.url);
/** Finds Vue as if this file had asked for it. */
function resolveHere(source, importer, options) {
  return /^vue(\/|$)/.test(source) && importer !== here ? this.resolve(source, here, options) : null;
}
const read = (name) => readFileSync(`${root}${name}`, 'utf8');
const { version, homepage } = JSON.parse(read('package.json'));
const repository = homepage.replace(/#.*$/, '');
// Set by tools/site.ts: where the newest version of the site is, and whether this is to be that of a release, beside it.
const { ROLECALL_SITE_ADDRESS: address = '/', ROLECALL_SITE_RELEASE } = process.env;
const isRelease = ROLECALL_SITE_RELEASE === '1';

export default defineConfig({
  title: 'Rolecall',
  description:
    'Database access as code: declare people, roles and timed permissions in Git; people query in a workspace that ends their access on time.',
  lang: 'en',
  srcDir: '..',
  outDir: '../dist/site',
  cacheDir: './node_modules/.cache/vitepress',
  base: `${new URL(address, 'http://localhost').pathname}${isRelease ? `v${version}/` : ''}`,
  cleanUrls: false,
  // Only these: the repository has other Markdown files, and folders that are large.
  srcExclude: [
    '*.md',
    '!(docs|examples|provider|operator|site)/**',
    'operator/!(deploy)/**',
    'operator/*.md',
    'provider/!(docs)/**',
    'provider/*.md',
    'site/README.md',
    'examples/**/!(README).md',
  ],
  rewrites: siteName,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    languageAlias: { terraform: 'hcl', promql: 'txt' },
    anchor: { slugify: anchorOf },
    toc: { slugify: anchorOf },
    config: (md) => resolveLinks(md, { root, repository }),
  },
  // The pages are outside of this folder, so Vite would not look for packages in it.
  vite: {
    plugins: [{ name: 'packages-of-the-site', enforce: 'pre', resolveId: resolveHere }],
    build: { chunkSizeWarningLimit: 2000 },
  },
  head: [['meta', { name: 'theme-color', content: '#0f766e' }]],
  themeConfig: {
    search: { provider: 'local', options: { detailedView: true } },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Definitions', link: '/definitions' },
      {
        text: isRelease ? version : `${version}, unreleased`,
        items: [
          ...releasesOf(read('CHANGELOG.md')).map((each) => ({
            text: each,
            link: `${address}v${each}/`,
            target: '_self',
          })),
          ...(isRelease ? [{ text: 'The newest', link: address, target: '_self' }] : []),
          { text: 'Changes', link: `${repository}/blob/main/CHANGELOG.md` },
        ],
      },
    ],
    sidebar: menuOf(read('docs/README.md')),
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/blob/main/:path`, text: 'This page in the repository' },
    footer: { message: `<a href="${repository}/blob/main/LICENSE">Apache-2.0</a>` },
  },
});
