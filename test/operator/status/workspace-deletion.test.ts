import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CustomObject, finalizer } from '../../../operator/resources/custom-object.ts';
import { parseObject } from '../../../operator/resources/parse.ts';
import { goingLast } from '../../../operator/status/workspace-deletion.ts';
import { createMembers } from '../../../operator/workspace/object-index.ts';

describe('what a Workspace says that waits for its objects', () => {
  const role = (name: string, more: Partial<CustomObject['metadata']> = {}) => {
    const metadata = {
      name,
      namespace: 'team',
      uid: name,
      resourceVersion: '1',
      generation: 1,
      finalizers: [finalizer],
    };
    const object = {
      kind: 'Role',
      metadata: { ...metadata, creationTimestamp: '', ...more },
      spec: {},
      status: {},
    } as const;
    const parsed = parseObject(object);
    assert.ok('definition' in parsed && parsed.definition.kind !== 'Workspace');
    return { object, definition: parsed.definition };
  };
  function messageOf(...all: ReturnType<typeof role>[]): string {
    const members = createMembers();
    for (const one of all) members.put(one);
    return goingLast(members, false).message;
  }

  it('names those that nobody has deleted, and a few of many', () => {
    assert.equal(
      messageOf(role('b'), role('a')),
      'It is deleted once its objects are. These are not being deleted: Role/a, Role/b.',
    );
    assert.match(
      messageOf(...['a', 'b', 'c', 'd', 'e'].map((name) => role(name))),
      / These are not being deleted: Role\/c, Role\/d, Role\/e and others\.$/,
    );
  });

  it('does not name what is being deleted, or has nothing in the workspace', () => {
    const going = role('going', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    assert.equal(messageOf(going, role('free', { finalizers: [] })), 'It is deleted once its objects are.');
  });
});
