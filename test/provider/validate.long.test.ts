import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';
import { useTerraform } from './support/terraform.ts';

/** Attributes that are right, of which a case makes one wrong. */
const right: Record<string, Record<string, string>> = {
  rolecall_data_source: { name: '"Billing"', alias: '"billing"', uri: '"postgresql://u@h/db"' },
  rolecall_person: { username: '"ada"', name: '"Ada"', email: '"ada@example.com"' },
  rolecall_role: { name: '"analysts"' },
  rolecall_role_person: { role_id: '"a"', person_id: '"b"' },
  rolecall_role_people: { role_id: '"a"', person_ids: '["b"]' },
  rolecall_permission: { person_id: '"a"', data_source_id: '"b"', duration: '"8h"' },
  rolecall_snippet: { name: '"Top"', text: '"select 1"' },
};

/** Type, attribute, wrong value, and what must be said of it: what is wrong, and a remedy. */
const wrong: readonly (readonly [string, string, string, RegExp])[] = [
  ['rolecall_data_source', 'name', '""', /name must .* Write the name that people are shown/],
  ['rolecall_data_source', 'alias', '""', /alias must .* Write a short name/],
  ['rolecall_data_source', 'uri', '"postgresql://u:p@h/db"', /uri carries a password.* give it by password_wo/],
  ['rolecall_data_source', 'uri', '"ftp://h"', /uri has the scheme ftp.* Write it as in postgresql:/],
  ['rolecall_data_source', 'password', '""', /password is empty. Write the password/],
  ['rolecall_data_source', 'password', '" \\t"', /password is only white space. Write the password/],
  ['rolecall_data_source', 'password', '"x\\r\\n"', /password ends with a line break. .* chomp\(\)/],
  ['rolecall_data_source', 'password', '"\\uFEFFx"', /password begins with a byte order mark .* trimprefix\(\)/],
  ['rolecall_data_source', 'password_wo', '"x"', /Set password_wo_version = 1/],
  ['rolecall_person', 'username', '""', /username must .* Write the name that the person signs in with/],
  ['rolecall_person', 'name', '""', /name must .* Write the full name/],
  ['rolecall_person', 'email', '"nobody"', /email must .*ada@example\.com/],
  ['rolecall_person', 'created_at', '"2026-12-01T17:00:00Z"', /created_at is read-only. Leave it out/],
  ['rolecall_role', 'name', '""', /name must .* Write the name of the role/],
  ['rolecall_role', 'name', '"  "', /name must not be only blanks. Write the name of the role/],
  ['rolecall_role_person', 'person_id', '""', /person_id is empty. Write an id/],
  ['rolecall_role_people', 'person_ids', '["b", ""]', /person_ids has an empty id. Take it out/],
  ['rolecall_permission', 'starts_at', '"yesterday"', /starts_at is not .* Write it as in 2026/],
  ['rolecall_permission', 'duration', '"8 hours"', /duration is not a duration. Write it as 8h/],
  ['rolecall_snippet', 'text', '""', /text must not be empty. Write a query/],
  ['rolecall_snippet', 'public_access_level', '"all"', /must be one of none, read_only/],
  ['rolecall_snippet', 'owner_role_id', '""', /owner_role_id is empty. Write an id, or leave/],
  ['provider', 'url', '"workspace.example.com"', /url is not the address .* Write it as in https/],
  ['provider', 'url', '"https://workspace.example.com/api/v2"', /url is not the address .* or \/api\/v2/],
  ['provider', 'key_id', '"a:b"', /key_id contains a colon. Write the id of the key alone/],
  ['provider', 'max_removal_percent', '101', /max_removal_percent must be a number from 0 to 100/],
  ['provider', 'minimum_removal', '1.5', /minimum_removal must be a whole number/],
];

describe('terraform validate', requires('terraform'), () => {
  const terraform = useTerraform();

  it('finds what is wrong with every attribute, at its line, with the remedy', async () => {
    terraform.configure(
      wrong
        .filter(([type]) => type !== 'provider')
        .map(([type, attribute, value], index) => {
          const attributes = Object.entries({ ...right[type], [attribute]: value });
          const lines = attributes.map(([name, each]) => `  ${name} = ${each}\n`).join('');
          return `resource "${type}" "n${index}" {\n${lines}}\n`;
        })
        .join(''),
    );
    const errors = await terraform.errorsOf(['validate']);
    for (const [index, [type, attribute, , message]] of wrong.filter(([each]) => each !== 'provider').entries()) {
      const mine = errors.filter((error) => error.includes(`with ${type}.n${index},`));
      assert.equal(mine.length, 1, `${type} ${attribute}: ${mine.join('\n')}`);
      assert.match(mine[0] ?? '', message);
      assert.match(mine[0] ?? '', new RegExp(`\\d+: ${attribute}\\s+= `));
    }
    assert.deepEqual(terraform.calls(), []);
  });

  it('finds what is wrong with the provider', async () => {
    for (const [, attribute, value, message] of wrong.filter(([type]) => type === 'provider')) {
      terraform.configure(
        `provider "rolecall" {\n  ${attribute} = ${value}\n}\nresource "rolecall_role" "a" {\n  name = "a"\n}\n`,
      );
      const errors = await terraform.errorsOf(['validate']);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors[0] ?? '', message);
    }
  });
});
