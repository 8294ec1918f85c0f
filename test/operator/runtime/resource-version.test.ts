import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOlderVersion, newerVersion } from '../../../operator/runtime/resource-version.ts';

describe('versions of objects', () => {
  it('are numbers, of any length', () => {
    assert.equal(isOlderVersion('9', '10'), true);
    assert.equal(isOlderVersion('10', '9'), false);
    assert.equal(isOlderVersion('10', '10'), false);
    assert.equal(isOlderVersion('18446744073709551615', '18446744073709551616'), true);
    assert.equal(newerVersion('99', '100'), '100');
    assert.equal(newerVersion('101', '100'), '101');
  });

  it('are not compared where one of them is something else', () => {
    for (const other of [undefined, '', 'a1', '0x10', '-1']) {
      assert.equal(isOlderVersion(other, '5'), false);
      assert.equal(isOlderVersion('5', other), false);
      assert.equal(newerVersion(other, '5'), '5');
      assert.equal(newerVersion('5', other), '5');
    }
  });
});
