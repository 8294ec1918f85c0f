import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cacheFolder } from '../../../cli/process/compile-cache.ts';

describe('the cache of what is compiled', () => {
  const home = () => '/home/ada';

  it("is in the user's own cache folder", () => {
    assert.equal(cacheFolder({}, home), '/home/ada/.cache/rolecall');
    assert.equal(cacheFolder({ XDG_CACHE_HOME: '/var/cache/ada' }, home), '/var/cache/ada/rolecall');
  });

  it('is never in the folder that a command happens to run in', () => {
    assert.equal(cacheFolder({ XDG_CACHE_HOME: 'cache' }, home), '/home/ada/.cache/rolecall');
    assert.equal(
      cacheFolder({}, () => ''),
      undefined,
    );
  });

  it('is nowhere when the user has no home', () => {
    const none = () => {
      throw new Error('ENOENT: uv_os_homedir returned ENOENT');
    };
    assert.equal(cacheFolder({}, none), undefined);
  });
});
