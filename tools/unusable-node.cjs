/**
 * What `npm ci` does when the Node that it installed cannot start: on a slim Debian that lacks libatomic, or on Alpine, which has
 * another C library. It is run by the Node that runs npm, which may be too old to strip types.
 */
const { rmSync } = require('node:fs');

const own = process.versions.node;

if (Number.parseInt(own, 10) >= 24) {
  rmSync('node_modules/.bin/node');
  process.stderr.write(
    `The Node that npm installed cannot start on this machine, so Node ${own} runs this repository.\n`,
  );
} else {
  process.stderr.write(
    'The Node that npm installed cannot start on this machine: install libatomic (apt-get install libatomic1), or Node 24 or newer, and run npm ci again.\n',
  );
  process.exitCode = 1;
}
