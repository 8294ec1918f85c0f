import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { allowAddresses } from '../../../operator/workspace/allowed-addresses.ts';

describe('the addresses that Workspaces may name', () => {
  it('are not this machine, link-local or metadata ones, however they are written, unless they are allowed', () => {
    const { refusal } = allowAddresses({});
    const denied = ['127.0.0.1', 'localhost', '[::1]', '2130706433', '169.254.169.254', '[fd00:ec2::254]', '0x7f.1'];
    for (const host of denied) assert.match(refusal(`http://${host}:8080`) ?? '', /does not connect/, host);
    for (const host of ['10.0.0.7', 'workspace.team.svc', 'workspace.example.com'])
      assert.equal(refusal(`https://${host}`), undefined);
    assert.equal(allowAddresses({ allowed: ['127.0.0.1'] }).refusal('http://localhost:8080'), undefined);
    assert.notEqual(allowAddresses({ denied: ['10.0.0.0/8'] }).refusal('http://10.0.0.7'), undefined);
  });

  it('are only those that are named, where some are', () => {
    const { refusal } = allowAddresses({ urls: ['https://workspace.example.com/team/'] });
    assert.equal(refusal('https://WORKSPACE.example.com:443/team'), undefined);
    for (const other of [
      'https://workspace.example.com',
      'http://workspace.example.com/team',
      'https://other.example/team',
    ])
      assert.match(refusal(other) ?? '', /does not serve/);
  });

  it('are looked at again when a name is resolved', async () => {
    const resolve = (rules: Parameters<typeof allowAddresses>[0]) =>
      new Promise<readonly LookupAddress[]>((done, fail) => {
        allowAddresses(rules).lookup('localhost', { all: true }, (error, found) => {
          if (error === null) done(found as LookupAddress[]);
          else fail(error);
        });
      });
    await assert.rejects(resolve({}), { code: 'ERR_DENIED' });
    assert.notEqual((await resolve({ allowed: ['127.0.0.1', '::1'] })).length, 0);
  });
});
