import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { editions } from '../../../tools/cdktf/editions.ts';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';
import { buildPackages, installed, type Packages, start } from './support/project.ts';

const tsc = installed('typescript/bin/tsc');

/** That the example compiles is a quick test; this one checks the declarations themselves, and those of the library. */
describe('the published types', () => {
  let packages: Packages;
  before(async () => {
    packages = await buildPackages();
  });
  after(() => {
    packages[Symbol.dispose]();
  });

  for (const edition of editions) {
    it(`have no fault, and find mistakes, with ${edition.library}`, async () => {
      using folder = temporaryFolder();
      const project = path.join(folder.path, 'project');
      await packages.install(edition, project);
      const wrong = `import { TimedAccess } from '${edition.name}';\nnew TimedAccess(null!, 'x', { person: 7 });\n`;
      writeFileSync(path.join(project, 'wrong.ts'), wrong);
      const options = ['--noEmit', '--ignoreConfig', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext'];
      const types = ['--types', 'node', '--typeRoots', installed('@types')];
      const compiled = start(project, process.execPath, [tsc, ...options, ...types, 'main.ts', 'wrong.ts']);
      const stdout = await compiled.catch((error: unknown) => (error as { stdout: string }).stdout);
      const faults = stdout.split('\n').filter((line) => line.includes('error TS'));
      assert.deepEqual(
        faults.map((line) => line.replace(/: [^:]*$/, '')),
        ['wrong.ts(2,31): error TS2322'],
      );
    });
  }
});
