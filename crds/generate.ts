/** The files that are made from the kinds and kept in the repository. */

import { stringify } from 'yaml';
import { group } from './fields/metadata.ts';
import { kindNames, kinds } from './kinds/registry.ts';
import { problemsPage } from './load/problems-page.ts';
import { buildJsonSchema } from './schema/json-schema.ts';
import { buildManifest } from './schema/manifest.ts';

/** Builds every generated file: its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['crds/rolecall.schema.json', `${JSON.stringify(buildJsonSchema(), null, 2)}\n`],
    ...kindNames.map(
      (name) => [`crds/manifests/${group}_${kinds[name].plural}.yaml`, manifestText(buildManifest(name))] as const,
    ),
    ['docs/definition-problems.md', problemsPage()],
  ]);
}

function manifestText(manifest: object): string {
  const header = '# Made from the schemas in crds/ by `npm run generate`; do not edit.\n---\n';
  return `${header}${stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
