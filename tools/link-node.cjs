/**
 * npm 10 removes node_modules/.bin/node together with the packages of other platforms, which have a program of that name too.
 * This puts the link back, and fails where that Node cannot start. Any Node may run it: one that is too old to strip types, too.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync, symlinkSync } = require('node:fs');

const link = 'node_modules/.bin/node';
const name = readdirSync('node_modules').find((each) => /^node-(bin-)?(linux|darwin)-\w+$/.test(each));

if (name !== undefined) {
  if (!existsSync(link)) symlinkSync(`../${name}/bin/node`, link);
  process.exitCode = spawnSync(link, ['-e', '0'], { stdio: 'inherit' }).status ?? 1;
}
