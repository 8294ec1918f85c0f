/** Writes the table of reasons in docs/operator.md from the operator's registry. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { reasons } from '@rolecall/operator';

const page = 'docs/operator.md';
const [begin, end] = ['<!-- reasons: npm run generate -->', '<!-- end of reasons -->'];

/** Builds the page: its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const text = readFileSync(path.resolve(import.meta.dirname, '../..', page), 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${page} lacks the lines ${begin} and ${end}`);
  return new Map([[page, `${before}${begin}\n${reasonTable()}\n${end}${after}`]]);
}

function reasonTable(): string {
  const rows = Object.entries(reasons).map(([name, { meaning, remedy }]) => `| \`${name}\` | ${meaning} | ${remedy} |`);
  return ['| reason | what it means | what to do |', '| --- | --- | --- |', ...rows].join('\n');
}
