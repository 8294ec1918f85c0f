import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

/** What is made from then on is younger than what was made before. */
async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  await until(() => Math.floor(Date.now() / 1000) > second, 'the next second');
}

describe('a role leaves nothing of a name that it had', () => {
  const suite = useInstallation();

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    const roles = async () => (await workspace.client.call('listRoles', {})).map(({ name }) => name).sort();
    const make = async (name: string, called: string) => {
      await space.create('Role', name, { name: called });
      await space.reason('Role', name, 'Converged');
    };
    const makeBoth = async () => {
      await make('one', 'first');
      await nextSecond();
      await make('two', 'second');
    };
    return { workspace, space, roles, make, makeBoth };
  }

  it('when it takes over that of a role that is renamed, and is deleted at once', async () => {
    const { workspace, space, roles, make } = await start();
    await make('one', 'first');
    let deleted: Promise<void> | undefined;
    workspace.proxy.onWritten = async ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/role')) await (deleted ??= space.remove('Role', 'two'));
    };
    await Promise.all([
      space.create('Role', 'two', { name: 'first' }),
      space.patch('Role', 'one', { spec: { name: 'second' } }),
    ]);
    await space.gone('Role', 'two');
    await space.reason('Role', 'one', 'Converged');
    assert.deepEqual(await roles(), ['second']);
  });

  it('when it takes over that of a role that is deleted, and is renamed at once', async () => {
    const { workspace, space, roles, make } = await start();
    await make('one', 'first');
    await space.create('Role', 'two', { name: 'first' });
    const reasonOf = async (name: string) => readyOf(await space.get('Role', name))?.reason ?? '';
    const reasons = async () => [await reasonOf('one'), await reasonOf('two')];
    await until(async () => (await reasons()).sort().join() === 'Conflict,Converged', 'a conflict');
    // Of two that were made in one second, either may be the older one.
    const [owner, heir] = (await reasonOf('one')) === 'Converged' ? ['one', 'two'] : ['two', 'one'];
    let renamed: Promise<unknown> | undefined;
    // It is deleted while a plan runs that knows nothing of it.
    workspace.proxy.onWritten = async ({ path }) => {
      if (path.endsWith('/snippet')) await space.remove('Role', owner);
    };
    suite.all.proxy.fault = ({ method, path }) => {
      if (method === 'PATCH' && path.endsWith(`/roles/${owner}`))
        renamed ??= space.patch('Role', heir, { spec: { name: 'second' } });
      return undefined;
    };
    await space.create('Snippet', 'any', { name: 'any', text: 'select 1' });
    await space.gone('Role', owner);
    await renamed;
    await space.reason('Role', heir, 'Converged');
    assert.deepEqual(await roles(), ['second']);
  });

  it('when it was renamed to that of an older one, and is deleted', async () => {
    const { space, roles, makeBoth } = await start();
    await makeBoth();
    await space.patch('Role', 'two', { spec: { name: 'first' } });
    await space.reason('Role', 'two', 'Conflict');
    await space.remove('Role', 'two');
    await space.gone('Role', 'two');
    assert.deepEqual(await roles(), ['first']);
  });

  it('when it was renamed to the new name of an older one that is held back, and is deleted', async () => {
    const { space, roles, makeBoth } = await start();
    await makeBoth();
    await space.patch('Role', 'one', { spec: { name: 'third', people: ['missing'] } });
    await space.reason('Role', 'one', 'MissingReference');
    await space.patch('Role', 'two', { spec: { name: 'third' } });
    await space.reason('Role', 'two', 'Conflict');
    await space.remove('Role', 'two');
    await space.gone('Role', 'two');
    assert.deepEqual(await roles(), ['first']);
  });

  it('when it got that of a role which another one had left it, is held back, and is deleted', async () => {
    const { space, roles, makeBoth } = await start();
    await makeBoth();
    await space.patch('Role', 'two', { spec: { name: 'first', people: ['missing'] } });
    await space.reason('Role', 'two', 'Conflict');
    await space.remove('Role', 'one');
    await space.gone('Role', 'one');
    await space.reason('Role', 'two', 'MissingReference');
    await nextSecond();
    await space.create('Role', 'three', { name: 'first', people: ['missing'] });
    await space.reason('Role', 'three', 'Conflict');
    await space.patch('Role', 'two', { spec: { name: 'third' } });
    await space.reason('Role', 'three', 'MissingReference');
    for (const name of ['three', 'two']) {
      await space.remove('Role', name);
      await space.gone('Role', name);
    }
    assert.deepEqual(await roles(), []);
  });

  it('when it is renamed before its status says what it has', async () => {
    const { space, roles } = await start();
    let writes = 0;
    suite.all.proxy.fault = ({ method, path }) => {
      if (method !== 'PATCH' || !path.endsWith('/roles/one/status')) return undefined;
      writes += 1;
      return writes === 1 ? { answer: 500 } : undefined;
    };
    await space.create('Role', 'one', { name: 'first' });
    await until(() => writes > 0, 'the write that fails');
    await space.patch('Role', 'one', { spec: { name: 'second' } });
    await space.reason('Role', 'one', 'Converged');
    await until(async () => (await roles()).length === 1, 'one role');
    assert.deepEqual(await roles(), ['second']);
  });

  it('when it is renamed again while someone it lists cannot be made', async () => {
    const { workspace, space, roles, make } = await start();
    await make('one', 'first');
    workspace.proxy.fault = ({ method, path }) =>
      method === 'POST' && path.endsWith('/person') ? { answer: 500 } : undefined;
    await space.create('Person', 'late', person('late'));
    await space.patch('Role', 'one', { spec: { name: 'second', people: ['late'] } });
    await until(async () => (await roles()).join() === 'second', 'the second name');
    await space.patch('Role', 'one', { spec: { name: 'third' } });
    await until(async () => (await roles()).join() === 'third', 'the third name');
    workspace.proxy.fault = () => undefined;
    await space.reason('Role', 'one', 'Converged');
    assert.deepEqual(await roles(), ['third']);
  });
});

describe('a person who takes a username leaves no one behind', () => {
  const suite = useInstallation();

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const operating = await suite.operate({ namespace: space.name });
    const usernames = async () => (await workspace.client.call('listPeople', {})).map(({ username }) => username);
    return { workspace, space, operating, usernames };
  }

  it('when both who declare it are deleted, one of them while it changes what it got', async () => {
    const { workspace, space, usernames } = await start();
    const names = ['one', 'two'] as const;
    for (const name of names) await space.create('Person', name, { ...person('ada'), email: `${name}@example.com` });
    const reasonOf = async (name: string) => readyOf(await space.get('Person', name))?.reason ?? '';
    const reasons = async () => [await reasonOf('one'), await reasonOf('two')];
    await until(async () => (await reasons()).sort().join() === 'Conflict,Converged', 'a conflict');
    // Of two that were made in one second, either may be the older one.
    const [owner, heir] = (await reasonOf('one')) === 'Converged' ? names : (['two', 'one'] as const);
    let deleted: Promise<void> | undefined;
    workspace.proxy.onWritten = async ({ method, path }) => {
      if (method === 'PATCH' && path.includes('/person/')) await (deleted ??= space.remove('Person', heir));
    };
    await space.remove('Person', owner);
    await space.gone('Person', owner);
    await space.gone('Person', heir);
    assert.deepEqual(await usernames(), []);
  });

  it('when it got what a deleted one had, is then in conflict, and is deleted after a restart', async () => {
    const { space, operating, usernames } = await start();
    const make = async (name: string, username: string) => {
      await space.create('Person', name, person(username));
      await space.reason('Person', name, 'Converged');
    };
    await make('cy', 'cy');
    await nextSecond();
    await make('one', 'ada');
    await make('two', 'bob');
    const taken = space.patch('Person', 'two', { spec: { ...person('ada'), email: 'two@example.com' } });
    let renamed: Promise<unknown> | undefined;
    suite.all.proxy.fault = ({ method, path }) => {
      // The operator lets it go: it has handed over what that had.
      if (method === 'PATCH' && path.endsWith('/people/one'))
        renamed ??= taken.then(() => space.patch('Person', 'two', { spec: { username: 'cy' } }));
      return undefined;
    };
    await Promise.all([space.remove('Person', 'one'), taken]);
    await space.gone('Person', 'one');
    await renamed;
    await space.reason('Person', 'two', 'Conflict');
    await operating.stop();
    await suite.operate({ namespace: space.name });
    await space.remove('Person', 'two');
    await space.gone('Person', 'two');
    assert.deepEqual(await usernames(), ['cy']);
  });

  it('when it is in conflict before its status says what it has, and is deleted', async () => {
    const { space, usernames } = await start();
    await space.create('Person', 'one', person('ada'));
    await space.reason('Person', 'one', 'Converged');
    await nextSecond();
    let renamed: Promise<unknown> | undefined;
    suite.all.proxy.fault = ({ method, path }) => {
      if (method !== 'PATCH' || !path.endsWith('/people/two/status') || renamed !== undefined) return undefined;
      renamed = space.patch('Person', 'two', { spec: { username: 'ada' } });
      return { answer: 500 };
    };
    await space.create('Person', 'two', person('bob'));
    await space.reason('Person', 'two', 'Conflict');
    await space.remove('Person', 'two');
    await space.gone('Person', 'two');
    assert.deepEqual(await usernames(), ['ada']);
  });
});
