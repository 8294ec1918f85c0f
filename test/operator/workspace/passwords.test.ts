import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseConnectionUri, problemBody } from '@rolecall/api';
import { ask } from '../../support/kubernetes/admin-client.ts';
import type { Namespace } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('the passwords that Secrets hold', () => {
  const suite = useInstallation();
  const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
  const spec = { uri, passwordFrom: { secretKeyRef: { name: 'db', key: 'password' } } };
  const ofFolder = (space: Namespace) => `/api/v1/namespaces/${space.name}/secrets`;
  const base64 = (password: string) => ({ data: { password: Buffer.from(password).toString('base64') } });

  async function start(alias: string, password: string) {
    const space = await suite.all.namespace();
    await ask(suite.all.kube, 'POST', ofFolder(space), { metadata: { name: 'db' }, ...base64(password) });
    const { steps } = await suite.operate({ driftMs: 200 });
    await space.create('DataSource', alias, spec);
    return { space, steps };
  }
  const change = (space: Namespace, password: string) =>
    ask(suite.all.kube, 'PATCH', `${ofFolder(space)}/db`, base64(password), 'application/merge-patch+json');

  async function passwordOf(alias: string): Promise<string | undefined> {
    const { id } = (await suite.all.service.call('listDataSources', {})).find((one) => one.alias === alias)!;
    const detail = await suite.all.service.call('getDataSourceDetail', { params: { dataSource: id } });
    return parseConnectionUri(detail.configUri).password;
  }

  it('are never taken away by a Secret that became empty, and nothing is written until it has one again', async () => {
    const { space, steps } = await start('emptied', 'one');
    await space.reason('DataSource', 'emptied', 'Converged');
    await change(space, '');
    const said = await space.reason('DataSource', 'emptied', 'SecretNotFound');
    assert.equal(said, 'spec.passwordFrom: the key password of the Secret db is empty');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal(await passwordOf('emptied'), 'one');
    assert.deepEqual(
      steps.map(({ operation }) => operation),
      ['createDataSource'],
    );
    await change(space, 'two');
    await space.reason('DataSource', 'emptied', 'Converged');
    assert.equal(await passwordOf('emptied'), 'two');
  });

  it('have no part in the one line break that files and echo leave at the end', async () => {
    for (const [alias, end] of Object.entries({ unix: '\n', windows: '\r\n' })) {
      const { space } = await start(alias, `white space inside ${end}`);
      await space.reason('DataSource', alias, 'Converged');
      assert.equal(await passwordOf(alias), 'white space inside ');
    }
  });

  it('are compared once the service does it again, and the data source says meanwhile that they were not', async () => {
    const { proxy } = suite.all.workspace;
    const configUri = uri.replace('reporting', 'reporting:one');
    await suite.all.service.call('createDataSource', { body: { name: 'uncompared', alias: 'uncompared', configUri } });
    const snapshot = await suite.all.service.call('readSnapshot', { query: {} });
    const dataSources = snapshot.dataSources.map((one) => ({ ...one, passwordMatches: null }));
    let isComparing = false;
    // As for a key with the scope write that was wrong too often.
    proxy.fault = ({ method, path }) => {
      if (!isComparing && method === 'POST' && path.startsWith('/api/v2/snapshot'))
        return { answer: 200, headers: { 'content-type': 'application/json' }, body: { ...snapshot, dataSources } };
      return path.endsWith('/detail') ? { answer: 403, body: problemBody('insufficient_scope', 'admin') } : undefined;
    };
    const { space } = await start('uncompared', 'two');
    assert.match(
      await space.reason('DataSource', 'uncompared', 'Undetermined'),
      /^It is compared without its password/,
    );
    isComparing = true;
    await space.reason('DataSource', 'uncompared', 'Converged');
    proxy.fault = () => undefined;
    assert.equal(await passwordOf('uncompared'), 'two');
  });

  it('are not sent where they cannot be meant', async () => {
    const { space } = await start('odd', '\n');
    const odd = {
      '\n': /is empty$/,
      ' \t': /only white space$/,
      'twice\n\n': /still ends in a line break /,
      'old\r': /still ends in a line break /,
      '\uFEFFmarked': /begins with a byte order mark \(U\+FEFF\)/,
    };
    for (const [password, message] of Object.entries(odd)) {
      await change(space, 'meant');
      await space.reason('DataSource', 'odd', 'Converged');
      await change(space, password);
      assert.match(await space.reason('DataSource', 'odd', 'SecretNotFound'), message);
      assert.equal(await passwordOf('odd'), 'meant');
    }
  });
});
