import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeRun, emptyRecord } from './run-record.ts';

const skipped = [
  { name: 'one', file: 'test/a.test.ts', reason: 'needs zsh: apt-get install zsh' },
  { name: 'two', file: 'test/b.test.ts', reason: 'needs MariaDB: apt-get install mariadb-server' },
  { name: 'three', file: 'test/c.test.ts', reason: 'needs Go 1.24 or newer on the path' },
];

describe('the report of a run', () => {
  it('says in a line what to install for what it skipped', () => {
    const printed = describeRun({ ...emptyRecord(), ran: 1, skipped }, false);
    const [, list = ''] = printed.split('Skipped:\n');
    assert.equal(
      list,
      '  apt-get install mariadb-server zsh (2 in test/a.test.ts, test/b.test.ts)\n' +
        '  needs Go 1.24 or newer on the path (1 in test/c.test.ts)\n',
    );
  });

  it('names each skipped test where none may be', () => {
    const printed = describeRun({ ...emptyRecord(), ran: 1, skipped }, true);
    for (const { name, file, reason } of skipped) {
      assert.match(printed, new RegExp(`  ${reason} `));
      assert.ok(printed.includes(`    - ${file}: ${name}\n`));
    }
  });
});
