import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type DefinitionOf, defaultRails } from '@rolecall/crds';
import { type CredentialFlags, findCredentials } from '../../../cli/workspace/credentials.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const keyId = 'k3Jf9sWqL0aZ';
const keySecret = 's3cret-of-the-key';
const right = { ROLECALL_KEY_ID: keyId, ROLECALL_KEY_SECRET: keySecret };
const printed = `ROLECALL_KEY_ID=${keyId}\nROLECALL_KEY_SECRET=${keySecret}\n\nScope admin, never expires.\n`;

/** The error or the key, with the environment and flags that are given. */
function find(env: Record<string, string>, flags: CredentialFlags = {}): unknown {
  const found = findCredentials(flags, env, undefined);
  return 'fault' in found ? found.fault.message : found;
}

/** The same with a file that has a text, which `--key-secret-file` names or a Workspace does. */
function findInFile(text: string, by: 'flag' | 'Workspace'): string {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'key');
  writeFileSync(file, text);
  const told = by === 'flag' ? find(right, { keySecretFile: file }) : issuesOf({ credentialsFrom: { file } });
  return String(told).replace(file, 'FILE');
}

function issuesOf(spec: Partial<DefinitionOf<'Workspace'>['spec']>): string {
  const metadata = { name: 'team', labels: {}, annotations: {} };
  const source = { file: 'team.yaml', document: 0, line: 1 };
  const found = findCredentials(
    {},
    {},
    { kind: 'Workspace', metadata, spec: { rails: defaultRails, ...spec }, source },
  );
  assert.ok('issues' in found);
  return found.issues.map(({ message }) => message).join();
}

describe('a key that is given as something else', () => {
  const cases: readonly (readonly [keyof typeof right, string, RegExp])[] = [
    ['ROLECALL_KEY_ID', `${keyId}@api`, /ends in @api\. Remove that/],
    ['ROLECALL_KEY_ID', `${keyId}:${keySecret}`, /contains a colon\. Give the id and the secret separately/],
    ['ROLECALL_KEY_ID', `${keyId}\r`, /contains white space\. Remove it/],
    ['ROLECALL_KEY_ID', `'${keyId}'`, /is in quotes\. Remove the quotes/],
    ['ROLECALL_KEY_SECRET', `${keySecret}\n`, /begins or ends with white space\. Remove it, for example a line break/],
    ['ROLECALL_KEY_SECRET', ` ${keySecret}`, /begins or ends with white space/],
    ['ROLECALL_KEY_SECRET', `"${keySecret}"`, /is in quotes\. Remove the quotes/],
  ];
  for (const [name, value, message] of cases) {
    it(`is told by the variable and what to do, without the secret: ${name}=${JSON.stringify(value)}`, () => {
      const told = String(find({ ...right, [name]: value }));
      assert.match(told, new RegExp(`^${name} ${message.source}`));
      assert.ok(!told.includes(keySecret));
    });
  }

  it("is told by the flag, and is no one's concern where another one counts", () => {
    assert.match(String(find(right, { keyId: `${keyId}@api` })), /^--key-id ends in @api/);
    const found = find({ ...right, ROLECALL_KEY_ID: `${keyId}@api` }, { keyId });
    const sources = { keyId: '--key-id', keySecret: 'ROLECALL_KEY_SECRET' };
    assert.deepEqual(found, { by: 'key', keyId, keySecret, sources });
  });

  const files: readonly (readonly [string, RegExp])[] = [
    [`\uFEFF${keySecret}`, /which begins with a byte order mark\. Save the file as UTF-8 without it/],
    [`\uFEFF${JSON.stringify({ id: keyId, secret: keySecret })}`, /which begins with a byte order mark/],
    [printed, /which begins with a variable, as keys create prints it\. Save only the secret, or/],
    [`${keySecret}\n\n`, /which begins or ends with white space/],
    [JSON.stringify({ id: `${keyId}@api`, secret: keySecret }), /whose id ends in @api/],
  ];
  for (const [text, message] of files) {
    it(`is told by the file: ${JSON.stringify(text)}`, () => {
      const told = findInFile(text, 'flag');
      assert.match(told, new RegExp(`^--key-secret-file names FILE, ${message.source}`));
      assert.ok(!told.includes(keySecret));
    });
  }

  it('is told by the file that a Workspace names', () => {
    const where = 'names FILE, which';
    assert.equal(findInFile(printed, 'Workspace'), `${where} begins with a variable, as keys create prints it`);
    assert.equal(findInFile(`${keySecret}\n\n`, 'Workspace'), `${where} is not JSON with id and secret`);
  });
});
