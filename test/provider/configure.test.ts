import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configure } from '../../provider/configure.ts';
import type { Diagnostic } from '../../provider/plugin/framework/diagnostics.ts';
import type { ObjectValue } from '../../provider/plugin/values/value.ts';

const right = { ROLECALL_URL: 'http://localhost:1', ROLECALL_KEY_ID: 'k3y', ROLECALL_KEY_SECRET: 's3cret' };

function errorsOf(env: Record<string, string>, config: ObjectValue = {}): readonly Diagnostic[] {
  const all: Diagnostic[] = [];
  const configured = configure(
    { ...right, ...env },
    config,
    (each) => all.push(each),
    () => undefined,
  );
  assert.equal(configured === undefined, all.length > 0);
  configured?.stop();
  return all;
}

describe('the key of the provider', () => {
  it('is taken as it is where nothing is around it', () => {
    assert.deepEqual(errorsOf({}), []);
  });

  it('is refused with what is around it, by a message that says where it comes from and never the value', () => {
    const cases: [Record<string, string>, ObjectValue, string, RegExp][] = [
      [
        { ROLECALL_KEY_SECRET: 's3cret\n' },
        {},
        'key_secret',
        /^The environment variable ROLECALL_KEY_SECRET ends with a line/,
      ],
      [{ ROLECALL_KEY_ID: 'k3y\r\n' }, {}, 'key_id', /^The environment variable ROLECALL_KEY_ID ends with a line/],
      [{ ROLECALL_KEY_ID: ' k3y' }, {}, 'key_id', /^The environment variable ROLECALL_KEY_ID has white space around/],
      [
        {},
        { key_secret: 's3cret\n' },
        'key_secret',
        /^The provider's key_secret ends with a line break.*trimspace\(\)/,
      ],
      [
        { ROLECALL_KEY_ID: 'k3y\n' },
        { key_id: '\uFEFFk3y' },
        'key_id',
        /^The provider's key_id has white space around/,
      ],
    ];
    for (const [env, config, name, message] of cases) {
      const [error, ...more] = errorsOf(env, config);
      assert.deepEqual(more, []);
      assert.deepEqual(error?.path, [name]);
      assert.match(error.detail, message);
      assert.doesNotMatch(JSON.stringify(error), /k3y|s3cret/);
    }
  });
});

it('points at the argument that is wrong', () => {
  const cases: [Record<string, string>, string][] = [
    [{ ROLECALL_URL: 'http://localhost:1/api/v2' }, 'url'],
    [{ ROLECALL_KEY_ID: 'k3y:1' }, 'key_id'],
    [{ ROLECALL_CA_FILE: '/nowhere/ca.pem' }, 'ca_file'],
    [{ ROLECALL_CA_FILE: import.meta.filename }, 'ca_file'],
    [{ ROLECALL_URL: 'http://workspace.example', HTTP_PROXY: 'socks5://localhost:1' }, 'url'],
  ];
  for (const [env, name] of cases) assert.deepEqual(errorsOf(env).at(-1)?.path, [name]);
});
