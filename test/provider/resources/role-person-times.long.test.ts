import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { MembershipWindow } from '@rolecall/api';
import { requires } from '../../support/databases/parts.ts';
import { until } from '../../support/kubernetes/admin-client.ts';
import { inOneLine, useTerraform } from '../support/terraform.ts';

const base = `
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}
resource "rolecall_role" "on_call" {
  name = "on-call"
}
`;
const membership = (window: string, more = '') => `${base}
resource "rolecall_role_person" "ada" {
  role_id   = rolecall_role.on_call.id
  person_id = rolecall_person.ada.id
  ${window}
}
${more}`;
const years = (from: number, to: number) =>
  `starts_at = "${from}-01-01T00:00:00Z"\n  expires_at = "${to}-01-01T00:00:00Z"`;
const window = (from: number, to: number) => ({
  startsAt: `${from}-01-01T00:00:00.000Z`,
  expiresAt: `${to}-01-01T00:00:00.000Z`,
});

describe('rolecall_role_person for a time', requires('terraform'), () => {
  const terraform = useTerraform(base);

  async function ids() {
    const { client } = terraform.workspace;
    const [[role], [person]] = await Promise.all([client.call('listRoles', {}), client.call('listPeople', {})]);
    assert.ok(role && person);
    return { role: role.id, person: person.id };
  }
  /** Absent: not in the role. */
  const member = async () => (await terraform.call('listRolePeople', { params: { role: (await ids()).role } }))[0];
  const windows = async () => (await member())?.windows;
  const setByHand = async (all: MembershipWindow[]) =>
    terraform.call('setRolePersonWindows', { params: await ids(), body: { windows: all } });
  const refused = (pattern: RegExp) => terraform.refuses(['plan', '-lock=false'], pattern);

  it('is given for just that time in one call, changed in place, and for good once the time is taken away', async () => {
    await terraform.converge(membership(years(2030, 2031)));
    assert.deepEqual(await windows(), [window(2030, 2031)]);
    const writes = terraform.calls().filter((call) => !call.startsWith('GET') && !call.includes('/snapshot'));
    assert.match(writes.join(), /^PUT \S+\/windows$/);
    await terraform.converge(membership('starts_at = "2030-01-01T01:00:00+01:00"\n  duration = "365d"'));
    assert.ok(!terraform.calls().some((call) => call.startsWith('PUT')), 'the same time was written again');
    assert.match(
      await terraform.converge(membership('expires_at = "2032-01-01T00:00:00Z"')),
      /0 added, 1 changed, 0 destroyed/,
    );
    assert.deepEqual(await windows(), [{ expiresAt: window(2030, 2032).expiresAt }]);
    await terraform.assertNoChanges();
    await terraform.converge(membership(''));
    assert.ok((await member()) !== undefined && (await windows()) === undefined);
    await terraform.assertNoChanges();
  });

  it('counts a duration from when it was first given, also where others gave the role for good or took it away', async () => {
    await terraform.converge(membership('duration = "8h"'));
    const given = await windows();
    const [first] = given ?? [];
    assert.equal(Date.parse(first?.expiresAt ?? '') - Date.parse(first?.startsAt ?? ''), 8 * 3_600_000);
    await terraform.assertNoChanges();
    const { client } = terraform.workspace;
    await client.call('addRolePerson', { params: await ids() });
    await terraform.apply();
    assert.deepEqual(await windows(), given);
    await client.call('removeRolePerson', { params: await ids() });
    assert.match(inOneLine(await terraform.apply()), /Grants again what was revoked/);
    assert.deepEqual(await windows(), given);
    await terraform.assertNoChanges();
  });

  it('shows a duration that another hand moved, also after its refresh was written, and puts it right', async () => {
    await terraform.converge(membership('duration = "8h"'));
    const given = await windows();
    const [{ startsAt = '', expiresAt = '' } = {}] = given ?? [];
    const later = (time: string, hours: number) => new Date(Date.parse(time) + hours * 3_600_000).toISOString();
    for (const moved of [
      { startsAt: later(startsAt, 48), expiresAt: later(expiresAt, 48) },
      { startsAt: later(startsAt, 1), expiresAt },
      { expiresAt },
    ]) {
      await setByHand([moved]);
      await terraform.must(['apply', '-refresh-only', '-auto-approve']);
      assert.equal((await terraform.run(['plan', '-detailed-exitcode'])).code, 2);
      await terraform.apply();
      assert.deepEqual(await windows(), given);
      await terraform.assertNoChanges();
    }
  });

  it('leaves no other time than its own, whoever set it, and says so before', async () => {
    await terraform.converge(membership(years(2030, 2031)));
    for (const other of [window(2020, 2031), window(2033, 2034)]) {
      await setByHand([window(2030, 2031), other]);
      assert.match(inOneLine(await terraform.apply()), /Several times in one membership .* has 2 times/);
      assert.deepEqual(await windows(), [window(2030, 2031)]);
    }
    // A time that was lengthened by hand ends at once where the declared one is over.
    const end = new Date(Math.ceil((Date.now() + 1_000) / 1_000) * 1_000).toISOString();
    await terraform.converge(membership(`expires_at = "${end}"`));
    await setByHand([window(2020, 2040)]);
    await until(() => Date.now() > Date.parse(end), 'the end');
    await terraform.apply();
    assert.deepEqual(await windows(), [{ expiresAt: end }]);
    // Over, it is quiet for ever, whether or not it is still there.
    await terraform.assertNoChanges();
    await terraform.call('removeRolePerson', { params: await ids() });
    await terraform.assertNoChanges();
  });

  it('is imported with its time, and a state of before has none', async () => {
    await setByHand([window(2030, 2031)]);
    const block = 'import {\n  to = rolecall_role_person.ada\n  id = "on-call/ada"\n}\n';
    assert.match(
      await terraform.converge(membership(years(2030, 2031), block)),
      /1 imported, 0 added, 0 changed, 0 destroyed/,
    );
    await terraform.assertNoChanges();
    await terraform.converge(membership(''));
    const file = path.join(terraform.folder, 'terraform.tfstate');
    const state = readFileSync(file, 'utf8');
    const before = state.replaceAll(/\s*"(starts_at|expires_at|duration)":\s*null,/g, '');
    assert.notEqual(before, state);
    writeFileSync(file, before);
    await terraform.assertNoChanges();
    assert.equal((await terraform.stateOf('rolecall_role_person.ada'))['expires_at'], null);
  });

  it('is refused at plan where it is no time, is over, or the service would not end it', async () => {
    terraform.configure(membership('expires_at = "2031-01-01T00:00:00Z"\n  duration = "8h"'));
    await refused(/Two ends .*Give expires_at or duration, not both/);
    terraform.configure(membership(years(2031, 2030)));
    await refused(/The window ends before it begins/);
    terraform.configure(membership(years(2019, 2020)));
    await refused(/This membership ended at 2020-01-01T00:00:00Z and was never granted/);
    const { proxy } = terraform.workspace;
    proxy.intercept = (call) => Promise.resolve(call.includes('/snapshot') ? { status: 404 } : undefined);
    try {
      terraform.configure(membership('duration = "8h"'));
      await refused(/keeps no times of memberships .* would have the role for good\. .*rolecall_permission/);
      await terraform.converge(membership(''));
    } finally {
      proxy.intercept = () => Promise.resolve(undefined);
    }
    await terraform.converge(membership(years(2030, 2031)));
    terraform.configure(membership(years(2019, 2020)));
    await refused(/As it is changed it would have ended at 2020-01-01T00:00:00Z/);
    assert.deepEqual(await windows(), [window(2030, 2031)]);
  });

  it('is for good where rolecall_role_people lists the person', async () => {
    const list = `${base}
resource "rolecall_role_people" "all" {
  role_id    = rolecall_role.on_call.id
  person_ids = [rolecall_person.ada.id]
}`;
    await terraform.converge(list);
    await setByHand([window(2030, 2031)]);
    assert.match(await terraform.apply(), /1 changed/);
    assert.ok((await member()) !== undefined && (await windows()) === undefined);
    await terraform.assertNoChanges();
  });

  it('is not imported as part of a list, whose next plan would remove the person or give the role for good', async () => {
    await setByHand([window(2030, 2031)]);
    terraform.configure(`${base}
resource "rolecall_role_people" "all" {
  role_id    = rolecall_role.on_call.id
  person_ids = []
}
import {
  to = rolecall_role_people.all
  id = "on-call"
}`);
    await refused(
      /The role has members for a time.*These have it for a time: ada\. Import each member as a rolecall_role_person/,
    );
    assert.deepEqual(await windows(), [window(2030, 2031)]);
  });
});
