import assert from 'node:assert/strict';
import { type ServerVersion, testConnection } from '../../server/databases/index.ts';
import { guard } from './guard.ts';
import { assertNothingLeft, openHandles } from './handles.ts';

/** Tests a connection that must succeed and leave nothing open. */
export async function succeeding(uri: string): Promise<ServerVersion> {
  const handles = openHandles();
  const outcome = await testConnection(uri, { guard });
  assert.ok(outcome.success, JSON.stringify(outcome));
  assert.deepEqual(Object.keys(outcome.version), ['productName', 'productVersion', 'major', 'minor', 'patch']);
  await assertNothingLeft(handles);
  return outcome.version;
}

/** Tests a connection that must fail, with a message in which `secret` does not occur, and leave nothing open. */
export async function failing(uri: string, secret = '', timeoutMs = 10_000): Promise<string> {
  const handles = openHandles();
  const start = performance.now();
  const outcome = await testConnection(uri, { guard, timeoutMs });
  assert.ok(performance.now() - start < timeoutMs + 2500, 'took too long');
  assert.ok(!outcome.success);
  assert.notEqual(outcome.message, '');
  assert.ok(secret === '' || !outcome.message.includes(secret), outcome.message);
  await assertNothingLeft(handles);
  return outcome.message;
}
