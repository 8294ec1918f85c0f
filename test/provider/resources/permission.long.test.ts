import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

const base = `
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}
resource "rolecall_data_source" "billing" {
  name  = "Billing"
  alias = "billing"
  uri   = "sqlite:///data/billing.db"
}
`;
const permission = (window: string) => `${base}
resource "rolecall_permission" "ada" {
  person_id      = rolecall_person.ada.id
  data_source_id = rolecall_data_source.billing.id
  ${window}
}`;
const years = (from: number, to: number) =>
  `starts_at = "${from}-01-01T00:00:00Z"\n  expires_at = "${to}-01-01T00:00:00Z"`;

describe('rolecall_permission', requires('terraform'), () => {
  const terraform = useTerraform(base);
  const address = 'rolecall_permission.ada';
  const granted = () => terraform.call('listPermissions', {});

  it('is granted for just the window that is declared, however it is written', async () => {
    await terraform.converge(permission(years(2030, 2031)));
    const [found] = await granted();
    assert.deepEqual([found?.startsAt, found?.expiresAt], ['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z']);
    await terraform.assertNoChanges();
    terraform.configure(permission('starts_at = "2030-01-01T01:00:00+01:00"\n  duration = "365d"'));
    await terraform.assertNoChanges().catch(() => undefined);
    await terraform.apply();
    assert.deepEqual(await granted(), [found]);
    await terraform.assertNoChanges();
  });

  it('is refused in the plan where it is longer than the workspace grants', async () => {
    for (const [window, message] of [
      ['expires_at = "9999-12-31T23:59:59Z"', /The window is too long.*9999-12-31T23:59:59Z is more than 36500 days/],
      [years(2030, 2131), /The window is too long.*2131-01-01T00:00:00Z is more than 36500 days after 2030-01-01/],
      [
        'starts_at = "9990-01-01T00:00:00Z"\n  duration = "36500d"',
        /ends after the year 9999.*Write a shorter duration/,
      ],
    ] as const) {
      terraform.configure(permission(window));
      await terraform.refuses(['plan'], message);
    }
    await terraform.converge(permission('duration = "36500d"'));
    await terraform.assertNoChanges();
    terraform.configure(permission('expires_at = "9999-12-31T23:59:59Z"'));
    await terraform.refuses(['plan'], /The window is too long/);
  });

  it('moves a changed window by one call, and keeps its id', async () => {
    await terraform.converge(permission(years(2030, 2031)));
    const [old] = await granted();
    terraform.calls();
    assert.match(await terraform.converge(permission(years(2030, 2032))), /0 added, 1 changed, 0 destroyed/);
    const written = terraform.calls().filter((call) => !call.startsWith('GET'));
    assert.deepEqual(written, [`PATCH /api/v2/permission/${old!.id}`]);
    assert.deepEqual(await granted(), [{ ...old, expiresAt: '2032-01-01T00:00:00.000Z' }]);
    await terraform.assertNoChanges();
  });

  it('anchors a duration once', async () => {
    await terraform.converge(permission('duration = "8h"'));
    const [found] = await granted();
    assert.equal(Date.parse(found!.expiresAt) - Date.parse(found!.startsAt), 8 * 3_600_000);
    await terraform.assertNoChanges();
    await terraform.converge(permission('duration = "480m"'));
    assert.deepEqual(await granted(), [found]);
    await terraform.converge(permission('duration = "9h"'));
    const [longer] = await granted();
    assert.equal(longer?.startsAt, found!.startsAt);
    assert.equal(Date.parse(longer.expiresAt) - Date.parse(longer.startsAt), 9 * 3_600_000);
    await terraform.assertNoChanges();
  });

  it("begins by the service's clock, whatever this machine's says", async () => {
    const hour = 3_600_000;
    const { proxy } = terraform.workspace;
    for (const aheadMs of [-3 * hour, 3 * hour]) {
      proxy.aheadMs = aheadMs;
      await terraform.converge(`${permission('duration = "8h"')}
resource "rolecall_role" "analysts" {
  name = "analysts"
}
resource "rolecall_role_person" "ada" {
  role_id   = rolecall_role.analysts.id
  person_id = rolecall_person.ada.id
  duration  = "8h"
}`);
      for (const address of ['rolecall_permission.ada', 'rolecall_role_person.ada']) {
        const { starts_at: start } = await terraform.stateOf(address);
        const differs = Date.parse(String(start)) - Date.now() - aheadMs;
        assert.ok(Math.abs(differs) < hour, `${address} begins ${differs} ms from now`);
      }
      await terraform.assertNoChanges();
      proxy.aheadMs = 0;
      await terraform.converge(base);
    }
  });

  it('is extended by an end in whole seconds though it began at a millisecond', async () => {
    await terraform.converge(permission('duration = "8h"'));
    const [found] = await granted();
    await terraform.converge(permission('expires_at = "2031-01-01T00:00:00Z"'));
    const [longer] = await granted();
    assert.equal(longer?.expiresAt, '2031-01-01T00:00:00.000Z');
    assert.equal(longer.startsAt, `${found!.startsAt.slice(0, -5)}.000Z`);
    await terraform.assertNoChanges();
  });

  it('is extended by an end that only the apply knows', async () => {
    await terraform.converge(permission('duration = "8h"'));
    const [found] = await granted();
    const end = '\nresource "terraform_data" "end" {\n  input = "2031-01-01T00:00:00Z"\n}\n';
    await terraform.converge(permission('expires_at = terraform_data.end.output') + end);
    const [longer] = await granted();
    assert.deepEqual(
      [longer?.startsAt, longer?.expiresAt],
      [`${found!.startsAt.slice(0, -5)}.000Z`, '2031-01-01T00:00:00.000Z'],
    );
    await terraform.assertNoChanges();
  });

  it('is quiet for ever once it is over, whether or not it is still listed', async () => {
    await terraform.converge(permission('duration = "1"'));
    const [found] = await granted();
    await sleep(Math.max(0, Date.parse(found!.expiresAt) - Date.now()) + 50);
    await terraform.assertNoChanges();
    await terraform.call('deletePermission', { params: { permission: found!.id } });
    await terraform.assertNoChanges();
    // Not even a replaced person brings it back.
    await terraform.converge(permission('duration = "1"'), '-replace=rolecall_person.ada');
    assert.deepEqual(await granted(), []);
    await terraform.assertNoChanges();
  });

  it('is granted again when someone deletes it before its end', async () => {
    await terraform.converge(permission(years(2030, 2031)));
    const [found] = await granted();
    await terraform.call('deletePermission', { params: { permission: found!.id } });
    assert.match(await terraform.apply(), /1 added/);
    await terraform.assertNoChanges();
  });

  it('is granted again until the same end where only a duration is declared, or left revoked', async () => {
    await terraform.converge(permission('duration = "8h"'));
    const [found] = await granted();
    await terraform.call('deletePermission', { params: { permission: found!.id } });
    const output = (await terraform.apply()).replaceAll(/\s+/g, ' ');
    assert.match(output, /Grants again what was revoked.*To leave it revoked, remove the resource/);
    assert.match(output, new RegExp(`granted again until ${found!.expiresAt}`));
    const [again] = await granted();
    assert.notEqual(again?.id, found!.id);
    assert.deepEqual([again?.startsAt, again?.expiresAt], [found!.startsAt, found!.expiresAt]);
    await terraform.assertNoChanges();
    await terraform.call('deletePermission', { params: { permission: again!.id } });
    await terraform.converge(base);
    assert.deepEqual(await granted(), []);
  });

  it('is granted again until the same end though its person was replaced meanwhile', async () => {
    await terraform.converge(permission('duration = "8h"'));
    const [found] = await granted();
    const params = { person: found!.person.id };
    await terraform.call('lockPerson', { params });
    await terraform.call('deletePerson', { params });
    await terraform.apply();
    const [again] = await granted();
    assert.notEqual(again?.person.id, found!.person.id);
    assert.deepEqual([again?.startsAt, again?.expiresAt], [found!.startsAt, found!.expiresAt]);
    await terraform.assertNoChanges();
  });

  it('says of a duration that is changed too late that it counts from the first grant, and is granted anew once it is tainted', async () => {
    await terraform.converge(permission('duration = "1"'));
    const [found] = await granted();
    await sleep(Math.max(0, Date.parse(found!.expiresAt) - Date.now()) + 1050);
    terraform.configure(permission('duration = "2"'));
    const said = await terraform.refuses(
      ['plan'],
      /was granted until .* counts from the first grant.* terraform taint/,
    );
    assert.doesNotMatch(said, /never granted/);
    await terraform.must(['taint', address]);
    await terraform.apply();
    assert.ok((await granted()).some(({ startsAt }) => startsAt !== found!.startsAt));
  });

  it('refuses a window that is over before it was ever granted, and one that makes no sense', async () => {
    const wrong: [string, RegExp][] = [
      [years(2020, 2021), /The window is in the past/],
      [years(2031, 2030), /ends before it begins/],
      ['duration = "8 hours"', /is not a duration/],
      ['', /Give expires_at, such as/],
      [`${years(2030, 2031)}\n  duration = "8h"`, /Give expires_at or duration, not both/],
      ['expires_at = "2030-01-01"', /Write it as in/],
    ];
    for (const [window, message] of wrong) {
      terraform.configure(permission(window));
      await terraform.refuses(['plan'], message);
    }
    assert.deepEqual(await granted(), []);
  });

  it('is adopted by one resource, and a second one of the same window is refused', async () => {
    const [ada] = await terraform.call('listPeople', {});
    const [billing] = await terraform.call('listDataSources', {});
    const body = { startsAt: '2030-01-01T00:00:00.000Z', duration: 31_536_000 };
    const params = { person: ada!.id, dataSource: billing!.id };
    await terraform.call('createPermission', { params, body });
    const [first = '', second = ''] = ['one', 'two'].map((name) =>
      permission(years(2030, 2031)).slice(base.length).replace('"ada" {', `"${name}" {`),
    );
    terraform.configure(base + first + second);
    await terraform.refuses(['apply', '-auto-approve'], /Two resources manage the permission of/);
    await terraform.converge(base + first);
    assert.equal((await granted()).length, 1);
    await terraform.assertNoChanges();
  });

  it('names a username or an alias that stands for an id, and what is not there, while planning', async () => {
    const wrong: [string, string, RegExp][] = [
      ['rolecall_person.ada.id', '"ada"', /No such person .*ada is the username of a person, and no id/],
      ['rolecall_data_source.billing.id', '"billing"', /No such data source .*billing is the alias of a data source/],
      ['rolecall_person.ada.id', '"nobody"', /has no person with the id nobody/],
    ];
    for (const [right, written, message] of wrong) {
      terraform.configure(permission('duration = "8h"').replace(right, written));
      await terraform.refuses(['plan'], message);
    }
  });

  it('says to plan again where what it refers to goes while Terraform applies', async () => {
    const { client, proxy } = terraform.workspace;
    proxy.intercept = async (call) => {
      const [billing] = await client.call('listDataSources', {});
      if (/^POST .*permission/.test(call) && billing !== undefined) {
        await client.call('deleteDataSource', { params: { dataSource: billing.id } });
      }
      return undefined;
    };
    terraform.configure(permission('duration = "8h"'));
    const { code, output } = await terraform.run(['apply', '-auto-approve']);
    proxy.intercept = () => Promise.resolve(undefined);
    assert.equal(code, 1);
    assert.match(output, /A referenced object is gone[\s\S]*Plan again/);
  });

  it('is adopted by its window, and imported by id and by names', async () => {
    await terraform.converge(permission(years(2030, 2031)));
    const [found] = await granted();
    await terraform.must(['state', 'rm', address]);
    assert.match(await terraform.apply(), /Adopts the permission of ada on billing/);
    assert.deepEqual(await granted(), [found]);
    for (const id of [found!.id, 'ada/billing', 'ada/billing/2030-01-01T00:00:00Z/2031-01-01T00:00:00Z']) {
      await terraform.must(['state', 'rm', address]);
      await terraform.must(['import', address, id]);
      await terraform.assertNoChanges();
    }
  });

  it('is named by its id and window where a pair has several that could be imported', async () => {
    const idOf = async (resource: string) => String((await terraform.stateOf(resource))['id']);
    const params = {
      person: await idOf('rolecall_person.ada'),
      dataSource: await idOf('rolecall_data_source.billing'),
    };
    for (const year of ['2040', '2042']) {
      const body = { startsAt: `${year}-01-01T00:00:00.000Z`, duration: 3600 };
      await terraform.call('createPermission', { params, body });
    }
    terraform.configure(permission(years(2040, 2041)));
    const flat = await terraform.refuses(['import', address, 'ada/billing']);
    for (const { id, startsAt, expiresAt } of await granted()) {
      assert.ok(flat.includes(`id ${id} (ada/billing/${startsAt}/${expiresAt})`), flat);
    }
    assert.doesNotMatch(flat, /rename/);
    const [first] = await granted();
    await terraform.must(['import', address, `ada/billing/${first!.startsAt}/${first!.expiresAt}`]);
    assert.equal((await terraform.stateOf(address))['id'], first!.id);
    for (const { id } of await granted()) {
      await terraform.call('deletePermission', { params: { permission: id } });
    }
  });
});
