import type { Client } from '@rolecall/api';

/**
 * Makes, past Terraform, the person ada, who reaches the data source Billing through the role analysts and by a permission.
 *
 * @param duration of the permission, in seconds
 * @returns the identifier of the role
 */
export async function shareAccess(client: Client, startsAt: string, duration: number): Promise<string> {
  const ada = await client.call('createPerson', {
    body: { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' },
  });
  const role = await client.call('createRole', { body: { name: 'analysts' } });
  const body = { name: 'Billing', alias: 'billing', configUri: 'postgresql://u:s3cret@db.internal/billing' };
  const billing = await client.call('createDataSource', { body });
  await client.call('addRolePerson', { params: { role: role.id, person: ada.id } });
  await client.call('addRoleDataSource', { params: { role: role.id, dataSource: billing.id } });
  const window = { startsAt, duration };
  await client.call('createPermission', { params: { person: ada.id, dataSource: billing.id }, body: window });
  return role.id;
}
