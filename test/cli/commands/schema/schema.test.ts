import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { kindNames } from '@rolecall/crds';
import Ajv from 'ajv/dist/2020.js';
import { stringify } from 'yaml';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const compile = (schema: object): ((value: unknown) => boolean) =>
  new Ajv.default({ strict: false, validateFormats: false }).compile(schema);

const person = {
  apiVersion: 'rolecall.dev/v1alpha1',
  kind: 'Person',
  metadata: { name: 'ada' },
  spec: { name: 'Ada', email: 'ada@team.example' },
};
const role = { ...person, kind: 'Role', spec: {} };

describe('rolecall schema', () => {
  it('prints the schema of all kinds', async () => {
    const { code, stdout } = await runCommand(['schema']);
    assert.equal(code, 0);
    const isValid = compile(JSON.parse(stdout) as object);
    assert.ok(isValid(person) && isValid(role));
    assert.ok(!isValid({ ...person, spec: { name: 'Ada', emial: 'x' } }));
  });

  it('prints the schema of one kind, which takes no other', async () => {
    const { stdout } = await runCommand(['schema', '--kind', 'person']);
    const isValid = compile(JSON.parse(stdout) as object);
    assert.ok(isValid(person));
    assert.ok(!isValid({ ...person, spec: { name: 'Ada' } }));
    assert.ok(!isValid(role));
  });

  it('writes to a file', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'rolecall.schema.json');
    const { code, stdout } = await runCommand(['schema', '--out', file]);
    assert.equal(code, 0);
    assert.ok(stdout.includes(`# yaml-language-server: $schema=${file}`));
    assert.ok('$defs' in (JSON.parse(readFileSync(file, 'utf8')) as object));
  });

  it('takes the place of an older schema, and of no definitions', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'people.yaml');
    for (let times = 0; times < 2; times += 1) assert.equal((await runCommand(['schema', '--out', file])).code, 0);
    const definitions = `# ours\n---\n${stringify(person)}`;
    writeFileSync(file, definitions);
    const { code, stderr } = await runCommand(['schema', '--out', file]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: --out .*people\.yaml exists and contains definitions: give another name, or remove the file/,
    );
    assert.equal(readFileSync(file, 'utf8'), definitions);
    assert.match((await runCommand(['schema', '--out', '-'])).stderr, /--out - is not a file/);
    const nowhere = await runCommand(['schema', '--out', path.join(folder.path, 'none', 'schema.json')]);
    assert.match(nowhere.stderr, /schema\.json cannot be written: there is no such file or folder \(/);
  });

  it('names the kinds where one is unknown', async () => {
    const { code, stderr } = await runCommand(['schema', '--kind', 'Group']);
    assert.equal(code, 1);
    assert.ok(stderr.includes(kindNames.join(', ')));
  });
});
