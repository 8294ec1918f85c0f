import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CustomObject, finalizer } from '../../../operator/resources/custom-object.ts';
import { refused, workspaceDeletion } from '../../../operator/status/outcomes.ts';

describe('the outcome of an object that a rail holds back', () => {
  it('is the reason of the rail, what would happen, and the remedy', () => {
    const refusal = { objects: ['Role/analysts'], message: 'this is too much', remedy: 'write a later window' };
    for (const [rail, expected] of [
      ['removal-share', 'RemovalShare'],
      ['last-member', 'LastMember'],
      ['window-past', 'WindowPast'],
      ['window-too-long', 'WindowTooLong'],
    ] as const) {
      const { reason, message } = refused([{ ...refusal, rail, override: 'x' }]);
      assert.equal(reason, expected);
      assert.equal(message, 'This is too much. Write a later window.');
    }
  });
});

describe('the outcome of a Workspace that waits for its objects', () => {
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
    return object;
  };
  const messageOf = (...all: CustomObject[]): string => workspaceDeletion(all, false).message;

  it('names objects that are not being deleted, and a few of many', () => {
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
