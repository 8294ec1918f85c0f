import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { useTerraform } from '../support/terraform.ts';

const first = '  lifecycle {\n    create_before_destroy = true\n  }\n';

const configuration = `
resource "rolecall_data_source" "shop" {
  name  = "Shop"
  alias = "shop"
  uri   = "postgresql://db.internal/shop?sslmode=verify-full"
${first}}
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
${first}}
resource "rolecall_role" "listed" {
  name = "listed"
${first}}
resource "rolecall_role" "single" {
  name = "single"
${first}}
resource "rolecall_role_people" "listed" {
  role_id    = rolecall_role.listed.id
  person_ids = [rolecall_person.ada.id]
${first}}
resource "rolecall_role_data_sources" "listed" {
  role_id         = rolecall_role.listed.id
  data_source_ids = [rolecall_data_source.shop.id]
${first}}
resource "rolecall_role_person" "single" {
  role_id   = rolecall_role.single.id
  person_id = rolecall_person.ada.id
${first}}
resource "rolecall_role_data_source" "single" {
  role_id        = rolecall_role.single.id
  data_source_id = rolecall_data_source.shop.id
${first}}
resource "rolecall_permission" "ada" {
  person_id      = rolecall_person.ada.id
  data_source_id = rolecall_data_source.shop.id
  expires_at     = "2046-01-01T00:00:00Z"
${first}}
resource "rolecall_snippet" "top" {
  name = "Top"
  text = "select 1"
${first}}
`;

describe('a replacement with create_before_destroy', requires('terraform'), () => {
  const terraform = useTerraform(configuration);

  async function everyone() {
    const { client } = terraform.workspace;
    const [people, roles, dataSources, snippets, permissions] = await Promise.all([
      client.call('listPeople', {}),
      client.call('listRoles', {}),
      client.call('listDataSources', {}),
      client.call('listSnippets', {}),
      client.call('listPermissions', {}),
    ]);
    const members = await Promise.all(
      roles.map(async ({ id, name }) => ({
        name,
        people: (await client.call('listRolePeople', { params: { role: id } })).map(({ username }) => username),
        dataSources: (await client.call('listRoleDataSources', { params: { role: id } })).map(({ alias }) => alias),
      })),
    );
    return { people, dataSources, snippets, members, permissions: permissions.length };
  }

  for (const address of configuration.match(/(?<=^resource )"\w+" "\w+"/gm) ?? []) {
    const name = address.replaceAll('"', '').replace(' ', '.');
    it(`of ${name} takes no one's access, and leaves a state that can be planned`, async () => {
      const before = await everyone();
      await terraform.apply(`-replace=${name}`);
      assert.deepEqual(await everyone(), before);
      await terraform.assertNoChanges();
    });
  }
});
