import type { AnswerOf, Client, RequestOf } from '@rolecall/api';

/**
 * Calls that the compiler must accept and refuse. Nothing here runs: `npm run types` is the test, and it fails when a call
 * is refused that must be accepted, or when an expected error is missing.
 */
export async function checkRequestTypes(client: Client): Promise<void> {
  const request: RequestOf<'createPermission'> = { params: { dataSource: 'd', person: 'p' }, body: { duration: 60 } };
  const answer: AnswerOf<'deletePairPermissions'> = { count: 1 };
  await client.call('createPermission', request, { idempotencyKey: String(answer.count) });
  const params = { person: 'p' };
  const person: { id: string; isLocked: boolean } = await client.call('getPerson', { params });
  const people: { username: string }[] = await client.call('listPeople', {});
  await client.call('deletePerson', { params }, { idempotencyKey: person.id + String(people.length) });
  await client.call('createDataSource', { body: { name: 'n', configUri: 'u', alias: null } });
  await client.call('updateSnippet', { params: { snippet: 's' }, body: { ownerPersonId: null } });
  // @ts-expect-error there is no such operation
  await client.call('renamePerson', { params });
  // @ts-expect-error the path needs its parameter
  await client.call('getPerson', {});
  // @ts-expect-error the parameter has another name
  await client.call('getPerson', { params: { id: 'p' } });
  // @ts-expect-error an identifier is text
  await client.call('getPerson', { params: { person: 1 } });
  // @ts-expect-error the body needs its fields
  await client.call('createPerson', { body: { name: 'n', username: 'u' } });
  // @ts-expect-error the operation has no such field
  await client.call('createRole', { body: { name: 'n', colour: 'red' } });
  // @ts-expect-error a name is never null
  await client.call('createRole', { body: { name: null } });
  // @ts-expect-error a list is not a person
  const _one: { id: string } = await client.call('listPeople', {});
}
