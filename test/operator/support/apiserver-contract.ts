import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KubeSession } from '../../../operator/runtime/session.ts';
import { type AdminClient, ask, type KubeObject, kindPath, until } from '../../support/kubernetes/admin-client.ts';
import type { WatchEvent } from '../../support/kubernetes/watch-fault.ts';
import { person } from './definitions.ts';

export interface OpenApiserver {
  readonly kube: AdminClient;
  readonly session: KubeSession;
}

const people = kindPath('people');
const secrets = '/api/v1/namespaces/default/secrets';
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const merge = 'application/merge-patch+json';
const finalizers = ['rolecall.dev/workspace'];

interface List {
  readonly metadata: { readonly resourceVersion: string };
}

/** What the operator relies on in an API server: the double in memory is held to it as well as the real one. */
export function keepsTheContract(open: () => OpenApiserver): void {
  const make = (name: string, more: object = {}): Promise<KubeObject> =>
    ask(open().kube, 'POST', people, {
      apiVersion: 'rolecall.dev/v1alpha1',
      kind: 'Person',
      metadata: { name, ...more },
      spec: person(name),
    });
  const patch = (name: string, body: object, subresource = ''): Promise<unknown> =>
    open().session.request({ method: 'PATCH', path: `${people}/${name}${subresource}`, body, contentType: merge });
  const read = (name: string): Promise<KubeObject> => ask(open().kube, 'GET', `${people}/${name}`);

  /** The names of what a list has, and its version. */
  async function list(path: string) {
    const names: string[] = [];
    const take = (item: unknown) => names.push((item as KubeObject).metadata.name);
    const { metadata } = (await open().session.list(path, take, new AbortController().signal)) as List;
    return { names: names.toSorted(), version: metadata.resourceVersion };
  }

  it('lists a collection as a whole, of one namespace and of all', async () => {
    const made = ['whole-a', 'whole-b', 'whole-c'];
    for (const name of made) await make(name);
    const { names, version } = await list(people);
    for (const name of made) assert.ok(names.includes(name), name);
    const everywhere = await list('/apis/rolecall.dev/v1alpha1/people');
    assert.deepEqual(everywhere, { names, version });
  });

  it('tells a watch what came, changed and went since its version, in order', async () => {
    const { session, kube } = open();
    const { version } = await list(people);
    await make('watched');
    const events: WatchEvent[] = [];
    const stop = new AbortController();
    const path = `${people}?watch=1&resourceVersion=${version}`;
    const watching = session.watch(path, (event) => events.push(event as WatchEvent), stop.signal);
    await patch('watched', { spec: { locked: true } });
    await ask(kube, 'DELETE', `${people}/watched`);
    await until(() => events.length === 3, 'three events');
    stop.abort();
    await watching;
    assert.deepEqual(
      events.map(({ type, object }) => `${type} ${object.metadata.name}`),
      ['ADDED watched', 'MODIFIED watched', 'DELETED watched'],
    );
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(versions).size, 3);
  });

  it('narrows a list to one name', async () => {
    await make('selected');
    const selector = encodeURIComponent('metadata.name=selected');
    assert.deepEqual((await list(`${people}?fieldSelector=${selector}`)).names, ['selected']);
  });

  it('refuses what is there already, what is not there, and a patch of another object or version', async () => {
    const { session } = open();
    const { metadata } = await make('refused');
    await assert.rejects(make('refused'), /already exists/);
    await assert.rejects(session.request({ method: 'GET', path: `${people}/none` }), {
      name: 'StatusError',
      status: 404,
      reason: 'NotFound',
    });
    await assert.rejects(patch('none', { spec: { locked: true } }), { status: 404 });
    await assert.rejects(patch('refused', { metadata: { uid: crypto.randomUUID() } }), { status: 422 });
    await patch('refused', { spec: { locked: true } });
    const stale = { metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion, finalizers } };
    await assert.rejects(patch('refused', stale), { status: 409, reason: 'Conflict' });
  });

  it('counts generations by the spec alone, and writes the status by its subresource alone', async () => {
    const made = await make('counted');
    assert.equal(made.metadata.generation, 1);
    await patch('counted', { metadata: { annotations: { 'rolecall.dev/paused': 'true' } }, status: { id: 'x' } });
    const annotated = await read('counted');
    assert.equal(annotated.metadata.generation, 1);
    assert.equal(annotated.status, undefined);
    const condition = {
      ...{ type: 'Ready', status: 'True', reason: 'Converged', message: '', observedGeneration: 1 },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const status = { id: 'person-1', observedGeneration: 1, conditions: [condition] };
    await patch('counted', { metadata: { uid: made.metadata.uid }, status, spec: { locked: true } }, '/status');
    const told = await read('counted');
    assert.deepEqual(told.status, status);
    assert.equal(told.spec?.['locked'], annotated.spec?.['locked']);
    await patch('counted', { spec: { locked: true } });
    assert.equal((await read('counted')).metadata.generation, 2);
    const version = (await read('counted')).metadata.resourceVersion;
    await patch('counted', { spec: { locked: true } });
    assert.equal((await read('counted')).metadata.resourceVersion, version, 'nothing changed');
    await patch('counted', { status: { id: null } }, '/status');
    assert.equal((await read('counted')).status?.['id'], undefined);
  });

  it('keeps a deleted object until its last finalizer is removed', async () => {
    const { kube } = open();
    const { metadata } = await make('finalized', { finalizers });
    await ask(kube, 'DELETE', `${people}/finalized`);
    const deleted = await read('finalized');
    assert.notEqual(deleted.metadata.deletionTimestamp, undefined);
    assert.equal(deleted.metadata.generation, 2);
    const { resourceVersion } = deleted.metadata;
    const release = { metadata: { uid: metadata.uid, resourceVersion, finalizers: [] } };
    const released = (await patch('finalized', release)) as KubeObject;
    assert.deepEqual(
      [released.metadata.resourceVersion, released.metadata.finalizers],
      [resourceVersion, undefined],
      'what lets an object go is answered with the version of before, and without an empty list',
    );
    assert.equal((await kube.call('GET', `${people}/finalized`)).status, 404);
    const again = await make('finalized');
    assert.notEqual(again.metadata.uid, metadata.uid);
  });

  it('stores what a Secret is given as text in base64', async () => {
    const { kube } = open();
    await ask(kube, 'POST', secrets, { metadata: { name: 'text' }, stringData: { a: 'one' } });
    await ask(kube, 'PATCH', `${secrets}/text`, { stringData: { b: 'two' } }, merge);
    const { data } = await ask<{ data: object }>(kube, 'GET', `${secrets}/text`);
    assert.deepEqual(data, { a: 'b25l', b: 'dHdv' });
  });

  it('takes an update of the version that it has, and refuses one of an earlier version', async () => {
    const { session } = open();
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'held' }, spec: {} };
    const made = (await session.request({ method: 'POST', path: leases, body: lease })) as KubeObject;
    const path = `${leases}/held`;
    const { resourceVersion } = made.metadata;
    const held = (holderIdentity: string) => ({
      ...lease,
      metadata: { name: 'held', resourceVersion },
      spec: { holderIdentity },
    });
    const taken = (await session.request({ method: 'PUT', path, body: held('one') })) as KubeObject;
    assert.equal(taken.metadata.uid, made.metadata.uid);
    await assert.rejects(session.request({ method: 'PUT', path, body: held('two') }), { status: 409 });
  });
}
