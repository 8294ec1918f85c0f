import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readManifest } from '../packages.ts';

/** Pages of the repository that become guides of the provider in a registry, with their titles there. */
const guides = {
  'terraform.md': 'Using Rolecall with Terraform',
  'adopting.md': 'Adopting what exists',
  'concepts.md': 'Concepts',
  'cdktf.md': 'Rolecall in CDKTF',
  'troubleshooting.md': 'Troubleshooting',
} as const;

/**
 * Writes `docs/` as a registry reads it from the provider's own repository: the generated reference, and guides, whose links lead to
 * other guides, to the reference or to this repository.
 *
 * @param folder what is to be the root of that repository
 */
export function writeRegistryDocs(root: string, folder: string): void {
  const homepage = String(readManifest('.')['homepage']).replace(/#.*$/, '');
  const docs = path.join(folder, 'docs');
  mkdirSync(path.join(docs, 'guides'), { recursive: true });
  cpSync(path.join(root, 'provider/docs'), docs, { recursive: true });
  for (const [name, title] of Object.entries(guides)) {
    const text = readFileSync(path.join(root, 'docs', name), 'utf8').replace(/^# .*\n+/, '');
    const head = `---\npage_title: ${JSON.stringify(title)}\n---\n\n# ${title}\n\n`;
    writeFileSync(path.join(docs, 'guides', name), head + withLinks(text, homepage));
  }
}

function withLinks(text: string, repository: string): string {
  return text.replace(/\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)/g, (_link, target: string, anchor = '') => {
    const place = path.posix.join('docs', target);
    if (Object.hasOwn(guides, target)) return `](${target}${anchor})`;
    if (place.startsWith('provider/docs/')) return `](../${place.slice('provider/docs/'.length)}${anchor})`;
    return `](${repository}/blob/main/${place}${anchor})`;
  });
}
