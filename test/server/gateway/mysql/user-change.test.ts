import assert from 'node:assert/strict';
import { it } from 'node:test';
import { UserChange } from '../../../../server/gateway/mysql/user-change.ts';
import { makeHashVerifier } from '../../../../server/protocols/mysql/proofs.ts';

it('a client that changes to the user that it is need not name a plugin: servers take that for the oldest', () => {
  const password = makeHashVerifier('secret');
  const change = new UserChange({ username: 'ada', database: 'shop', password, renew: () => Promise.resolve() });
  for (const end of ['', '\x2d\0', '\x2d\0mysql_native_password\0']) {
    const answer = change.begin(Buffer.from(`ada\0\0shop\0${end}`, 'latin1'), 1);
    assert.match(String(answer), /mysql_native_password/, `an end of ${end.length} bytes`);
  }
  assert.equal(change.begin(Buffer.from('ada\0\0shop\0\x2d\0sha256_password\0', 'latin1'), 1), undefined);
});
