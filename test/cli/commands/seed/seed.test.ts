import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type Finished, runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { team, useWorkspace } from '../../support/workspace.ts';

const editors = `- person: ada
  dataSource: billing
  tabs:
    - { title: Totals, text: select 1 }
`;

describe('rolecall seed', () => {
  const workspace = useWorkspace(team);

  async function seed(text: string, ...args: string[]): Promise<Finished> {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'editors.yaml');
    writeFileSync(file, text);
    return await runCommand(['seed', file, '--data', workspace.dataDir, ...args]);
  }

  it('makes editors, and the second time gives them the same tabs', async () => {
    const first = await seed(editors, '--format', 'json');
    assert.deepEqual([first.code, JSON.parse(first.stdout)], [0, { created: 1, updated: 0 }]);
    const second = await seed(editors);
    assert.match(second.stdout, /editors\.yaml: 0 editors made, 1 given other tabs/);
    assert.equal((await workspace.client.call('listEditors', {})).length, 1);
  });

  it('names everything that is wrong, and makes nothing then', async () => {
    const { code, stdout, stderr } = await seed(
      '- { person: nobody, dataSource: billing, tabs: [] }\n- { person: ada }\n',
    );
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^error: .*editors\.yaml is not seeded.*\nentry 2: /);
  });

  it('makes no store where there is none', async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'editors.yaml'), editors);
    const { code, stderr } = await runCommand(['seed', path.join(folder.path, 'editors.yaml'), '--data', folder.path]);
    assert.equal(code, 1);
    assert.match(stderr, /^error: .* contains no store: .*\n$/);
    assert.deepEqual(readdirSync(folder.path), ['editors.yaml']);
  });

  it('says where the text is no YAML', async () => {
    const { code, stderr } = await seed('- person: [\n');
    assert.equal(code, 1);
    assert.match(stderr, /^error: .*editors\.yaml:\d+:\d+ is not YAML: .*\n$/);
  });
});
