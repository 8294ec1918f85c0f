import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readIdentities } from '../../../../cli/commands/operator/identities.ts';
import { runCommand } from '../../support/run-command.ts';

const right = 'url=https://workspace.example.com,token-file=/token,namespace=team-a';

describe('rolecall operator --identity', () => {
  it('names the service, the file of its token, and each namespace that may use it', () => {
    assert.deepEqual(readIdentities(), []);
    assert.deepEqual(readIdentities([`${right},namespace=team-b,audience=rolecall`]), [
      {
        url: 'https://workspace.example.com',
        tokenFile: '/token',
        audience: 'rolecall',
        namespaces: ['team-a', 'team-b'],
      },
    ]);
  });

  const wrong: Readonly<Record<string, RegExp>> = {
    'url=https://workspace.example.com,token-file=/token': /namespace is missing: name each that may use it/,
    'url=https://workspace.example.com,token-file=/token,namespace=*': /namespace \* must be the name of a namespace/,
    'token-file=/token,namespace=team-a': /url is missing/,
    'url=https://workspace.example.com,namespace=team-a': /token-file is missing/,
    'url=http://workspace.example.com,token-file=/token,namespace=team-a': /plain HTTP to another machine/,
    'url=https://a:b@workspace.example.com,token-file=/token,namespace=team-a': /contains credentials/,
    [`${right},url=https://other.example.com`]: /url is given twice/,
    [`${right},namespaces=team-b`]: /each setting is one of url=…, audience=…, token-file=…, namespace=…/,
    [`${right},namespace=team-a`]: /namespace team-a has two identities/,
    [`${right},audience=`]: /each setting is one of/,
  };
  for (const [text, message] of Object.entries(wrong)) {
    it(`is refused before anything is reached: ${text}`, async () => {
      const { code, stderr } = await runCommand(['operator', '--identity', text, '--format', 'json']);
      assert.equal(code, 1);
      assert.match(stderr, /"code":"ERR_USAGE","message":"--identity: /);
      assert.match(stderr, message);
      assert.ok(!stderr.includes('a:b@'));
    });
  }
});
