import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BindAddressError, parseBindAddress } from '@rolecall/operator';

describe('an address to listen on', () => {
  it('is a port with or without a host, or 0 for none', () => {
    assert.deepEqual(parseBindAddress(':8080'), { host: '', port: 8080 });
    assert.deepEqual(parseBindAddress('127.0.0.1:0'), { host: '127.0.0.1', port: 0 });
    assert.deepEqual(parseBindAddress('[::1]:9090'), { host: '::1', port: 9090 });
    assert.equal(parseBindAddress('0'), undefined);
  });

  it('is refused otherwise, with what to write', () => {
    for (const text of ['', '8080', ':', ':70000', '::1:80', 'a b:80', 'http://x:80', ':80 '])
      assert.throws(() => parseBindAddress(text), BindAddressError, JSON.stringify(text));
  });
});
