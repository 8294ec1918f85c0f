/** Writes docs/command-line-errors.md from the registry of the command line's codes. */

import { errorGroups, warningCodes } from '../../cli/error-codes.ts';

/** Builds the page: its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const sections = Object.entries(errorGroups).map(([heading, codes]) => `## ${heading}\n\n${table(codes)}`);
  const page = [introduction, ...sections, `## Warnings\n\n${warnings}\n\n${table(warningCodes)}`];
  return new Map([['docs/command-line-errors.md', `${page.join('\n\n')}\n`]]);
}

const introduction = `<!-- Made from cli/error-codes.ts by \`npm run generate\`; do not edit. -->

# Error codes of the command line

With \`--format json\`, an error is one line of JSON on standard error:

\`\`\`json
{ "error": { "code": "ERR_URL", "message": "ROLECALL_URL cannot be used: …" } }
\`\`\`

\`code\` is stable, so programs can branch on it; \`message\` is for people and may change. Some errors have more fields, which
the tables name. \`--debug\` adds \`stack\`, and a failed request adds \`call\` with its method, path, attempts and outcome. The [exit
codes](command-line.md#exit-codes) are the same with and without JSON.`;

const warnings = `A warning is a line \`{"warning":{"code":…,"message":…}}\`. Warnings about definitions have the
[codes of their problems](definition-problems.md).`;

function table(codes: Readonly<Record<string, { when: string; remedy: string }>>): string {
  const rows = Object.entries(codes).map(([code, { when, remedy }]) => `| \`${code}\` | ${when} | ${remedy} |`);
  return ['| code | when | what to do |', '| --- | --- | --- |', ...rows].join('\n');
}
