import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Problem, problemCodes } from '@rolecall/crds';
import type { Case, Expected } from './case.ts';
import { acrossCases } from './cases-across.ts';
import { envelopeCases } from './cases-envelope.ts';
import { fileCases } from './cases-files.ts';
import { roleCases } from './cases-roles.ts';
import { specCases } from './cases-spec.ts';
import { yamlCases } from './cases-yaml.ts';
import { loadFiles } from './support.ts';

const themes: Readonly<Record<string, readonly Case[]>> = {
  files: fileCases,
  'the text': yamlCases,
  'apiVersion, kind and metadata': envelopeCases,
  'the spec': specCases,
  'several documents': acrossCases,
  'roles that contain roles': roleCases,
};

for (const [theme, cases] of Object.entries(themes)) {
  describe(`problems with ${theme}`, () => {
    for (const { promise, input, problems } of cases) {
      it(promise, async () => {
        const loaded = await loadFiles(typeof input === 'string' ? { 'a.yaml': input } : input);
        assert.deepEqual(loaded.problems.map(summary), problems.map(expectedSummary));
        for (const [index, expected] of problems.entries()) holds(loaded.problems[index]!, expected);
      });
    }
  });
}

describe('the cases', () => {
  it('cover every code, but for those that the tests of files and of the front ends provoke', () => {
    const covered = Object.values(themes).flatMap((cases) =>
      cases.flatMap(({ problems }) => problems.map(({ code }) => code)),
    );
    const elsewhere = [
      'file_changed',
      'file_not_found',
      'file_unreadable',
      'nothing_found',
      'nothing_declared',
      'passed_over',
      'problems_many',
    ];
    const ofFrontEnds = ['secret_unavailable', 'not_on_command_line', 'not_in_terraform'];
    assert.deepEqual(
      [...new Set([...covered, ...elsewhere, ...ofFrontEnds])].toSorted(),
      Object.keys(problemCodes).toSorted(),
    );
  });
});

function summary({ severity, code, file, line, column, path }: Problem): string {
  // How deep a text may nest before the parser gives up depends on the machine, and with it the column.
  const at = code === 'yaml_nesting' ? `${line}:*` : `${line}:${column}`;
  return `${severity} ${code} ${file}:${at} ${path}`;
}

function expectedSummary({ severity = 'error', code, file = 'a.yaml', at, path = '' }: Expected): string {
  return `${severity} ${code} ${file}:${at} ${path}`;
}

function holds(problem: Problem, { message, remedy }: Expected): void {
  assert.match(problem.remedy, remedy);
  assert.match(problem.remedy, /[.?]$/, 'a remedy is a sentence');
  if (message !== undefined) assert.match(problem.message, message);
  assert.doesNotMatch(`${problem.message} ${problem.remedy}`, /hunter2|4711|key:secret/, 'no secret is repeated');
}
