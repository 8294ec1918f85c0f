import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type ErrorCode, errorGroups, isErrorCode, warningCodes } from '../../cli/error-codes.ts';
import { CliError, describeError } from '../../cli/errors.ts';
import { AuditSinkError } from '../../server/audit/sink.ts';
import { AuditTrailError, UniqueError } from '../../server/store/errors.ts';
import { generatedFiles } from '../../tools/pages/command-line-errors.ts';
import { root, runCommand } from './support/run-command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const errorCodes = Object.values(errorGroups).flatMap((group) => Object.keys(group));

describe('the codes of the command line', () => {
  it('are those of docs/command-line-errors.md', () => {
    for (const [name, text] of generatedFiles()) {
      assert.equal(readFileSync(path.join(root, name), 'utf8'), text, `${name}: run npm run generate`);
    }
  });

  it('each stand in one group, with sentences', () => {
    assert.equal(new Set(errorCodes).size, errorCodes.length);
    for (const { when, remedy } of [...Object.values(errorGroups), warningCodes].flatMap((codes) =>
      Object.values<{ when: string; remedy: string }>(codes),
    )) {
      assert.match(when, /^\W?[A-Z`].*\.$/);
      assert.match(remedy, /^[A-Z`].*\.$/);
    }
  });

  it('are all in use', () => {
    const sources = globSync('{api,cli,operator,reconcile,server}/**/*.ts', {
      cwd: root,
      exclude: (name) => name === 'node_modules' || name === 'error-codes.ts',
    }).map((file) => readFileSync(path.join(root, file), 'utf8'));
    const unused = [...errorCodes, ...Object.keys(warningCodes)].filter(
      (code) => !sources.some((source) => source.includes(`'${code}'`)),
    );
    assert.deepEqual(unused, []);
  });

  // The package of the service does not export these classes, so cli/errors.ts cannot hold their codes.
  it('have those of errors that only the service itself throws', () => {
    const codes: ErrorCode[] = [new AuditSinkError('').code, new AuditTrailError('').code, new UniqueError('').code];
    assert.ok(codes.every(isErrorCode));
  });

  it('pass errors of other parts on, and report an unregistered code as unexpected', () => {
    const other = (code: string) => Object.assign(new Error('it failed'), { code });
    assert.equal(describeError(other('ERR_STORE_LOCKED')).code, 'ERR_STORE_LOCKED');
    assert.equal(describeError(other('ERR_NOBODY_KNOWS')).code, 'ERR_UNEXPECTED');
    assert.equal(describeError(other('toString')).code, 'ERR_UNEXPECTED');
    assert.equal(describeError(new CliError('ERR_OUT', 'no')).code, 'ERR_OUT');
  });

  it('have one for all errors of the system, with its reason beside', async () => {
    using folder = temporaryFolder();
    const args = ['seed', path.join(folder.path, 'none.yaml'), '--data', folder.path, '--format', 'json'];
    const { stderr } = await runCommand(args);
    const { error } = JSON.parse(stderr) as { error: { code: string; reason: string } };
    assert.deepEqual([error.code, error.reason], ['ERR_SYSTEM', 'ENOENT']);
  });
});
