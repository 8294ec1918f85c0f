/** The files that are generated from the kinds and committed. */

import { stringify } from 'yaml';
import { group } from './fields/metadata.ts';
import { kindNames, kinds } from './kinds/registry.ts';
import { problemCodes } from './load/problem-codes.ts';
import { buildJsonSchema } from './schema/json-schema.ts';
import { buildManifest } from './schema/manifest.ts';

/** Builds every generated file: its path from the repository's root, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const manifests = kindNames.map(
    (name) => [`manifests/${group}_${kinds[name].plural}.yaml`, yaml(buildManifest(name))] as const,
  );
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: manifests.map(([file]) => file),
  };
  return new Map([
    ['crds/rolecall.schema.json', `${JSON.stringify(buildJsonSchema(), null, 2)}\n`],
    ...manifests.map(([file, text]) => [`crds/${file}`, text] as const),
    // Beside the folder, so that "kubectl apply -f crds/manifests" finds nothing but kinds.
    ['crds/kustomization.yaml', yaml(kustomization)],
    ['docs/definition-problems.md', problemsPage()],
  ]);
}

function yaml(document: object): string {
  const header = '# Made from the schemas in crds/ by `npm run generate`; do not edit.\n---\n';
  return `${header}${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

/** Writes docs/definition-problems.md. */
function problemsPage(): string {
  const sections = Object.entries(problemCodes).map(
    ([code, { title, meaning, remedy }]) => `## ${code}\n\n**${title}.** ${meaning}\n\nRemedy: ${remedy}\n`,
  );
  return `${introduction}\n${sections.join('\n')}`;
}

const introduction = `<!-- Made from crds/load/problem-codes.ts by \`npm run generate\`; do not edit. -->

# Problems with definitions

\`rolecall validate\`, \`plan\` and \`apply\` check all definitions first and report every problem with its file, line, column and
field, the cause and the remedy. The code at the end of the line is one of these. Errors prevent the definitions from being applied;
warnings do not.
`;
