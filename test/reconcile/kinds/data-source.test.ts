import assert from 'node:assert/strict';
import { it } from 'node:test';
import { converge, makePlan, type View } from '@rolecall/reconcile';
import { dataSource, describeReadings, optionsOf, permission, person, role, stateOf } from '../support.ts';

describeReadings('DataSource', (workspace, reading) => {
  const password = { env: 'PASSWORD' };
  const secrets = { PASSWORD: 'correct horse' };

  async function uriOf(alias: string): Promise<string | undefined> {
    const found = (await workspace.client.call('listDataSources', {})).find((one) => one.alias === alias);
    return (await workspace.client.call('getDataSourceDetail', { params: { dataSource: found!.id } })).configUri;
  }

  it('is created with its password, which no plan holds', async () => {
    const { plan } = await workspace.apply([dataSource('billing', { password })], { secrets });
    assert.equal(await uriOf('billing'), 'postgresql://reader:correct%20horse@billing.internal:5432/billing');
    assert.doesNotMatch(JSON.stringify(plan), /correct/);
    assert.deepEqual((await workspace.plan([dataSource('billing', { password })], { secrets })).steps, []);
  });

  it('shows a changed password as fingerprints only', async () => {
    await workspace.apply([dataSource('billing', { password })], { secrets });
    const plan = await workspace.plan([dataSource('billing', { password })], { secrets: { PASSWORD: 'new secret' } });
    const [change] = plan.steps[0]!.changes!;
    assert.match(`${change!.from} ${change!.to}`, /^another secret secret [0-9a-f]{8}$/);
    assert.doesNotMatch(JSON.stringify(plan), /correct|new secret/);
  });

  it('cannot be planned while its secret cannot be had, even where it would be created', async () => {
    await assert.rejects(workspace.plan([dataSource('billing', { password })]), /no such secret/);
  });

  it('keeps its password where the declared one is empty, when it is planned and when it is applied', async () => {
    await workspace.apply([dataSource('billing', { password })], { secrets });
    const wanted = dataSource('billing', { password, uri: 'postgresql://reader@elsewhere.internal/billing' });
    await assert.rejects(
      workspace.plan([wanted], { secrets: { PASSWORD: '' } }),
      /environment variable PASSWORD, which is empty/,
    );
    const plan = await workspace.plan([wanted], { secrets });
    workspace.takeCalls();
    const { failed } = await converge(plan, workspace.client, optionsOf({ secrets: { PASSWORD: '' } }));
    assert.match(failed[0]!.error.message, /environment variable PASSWORD, which is empty/);
    assert.deepEqual(workspace.takeCalls(), []);
    assert.equal(await uriOf('billing'), 'postgresql://reader:correct%20horse@billing.internal:5432/billing');
  });

  it('does not take a written default port for drift', async () => {
    await workspace.apply([dataSource('billing', { uri: 'postgresql://reader@billing.internal/billing' })]);
    const wanted = dataSource('billing', { uri: 'postgresql://reader@billing.internal:5432/billing' });
    assert.deepEqual((await workspace.plan([wanted])).steps, []);
  });

  it('loses a parameter that is declared no more, where the service says that it appended none', async () => {
    const uri = 'postgresql://reader@billing.internal/billing';
    await workspace.apply([dataSource('billing', { uri: `${uri}?application_name=rolecall` })]);
    const { steps } = await workspace.plan([dataSource('billing', { uri })]);
    const change = { field: 'application_name', from: 'rolecall', to: null };
    assert.deepEqual(
      steps.map(({ changes }) => changes),
      reading === 'in one call' ? [[change]] : [],
    );
    await workspace.apply([dataSource('billing', { uri })]);
    assert.deepEqual((await workspace.plan([dataSource('billing', { uri })])).steps, []);
  });

  it('is planned although the service appended parameters that no definition can have', async () => {
    await workspace.apply([dataSource('billing', { password })], { secrets });
    const planWith = async (appended: string, displayName: string) => {
      const view = workspace.createView();
      const appending: View = {
        ...view,
        isAsWritten: () => false,
        connection: async (id) => {
          const connection = await view.connection(id);
          return { ...connection, uri: `${connection.uri}?${appended}` };
        },
      };
      const { steps } = await makePlan(
        stateOf([dataSource('billing', { password, displayName })], {}),
        appending,
        optionsOf({ secrets }),
      );
      return steps.map(({ body }) => body);
    };
    assert.deepEqual(await planWith('tenant=4&sslmode=prefer&tenant=5', 'billing'), []);
    assert.deepEqual(await planWith('tenant=4', 'Billing'), [{ name: 'Billing' }]);
  });

  for (const uri of [
    'sqlite:///srv/reports.db?mode=ro',
    'mariadb://reader@db.internal/stock',
    'mysql://reader@db.internal:3307/stock',
  ]) {
    it(`of any type needs nothing after it was created: ${uri}`, async () => {
      await workspace.apply([dataSource('other', { uri })]);
      assert.deepEqual((await workspace.plan([dataSource('other', { uri })])).steps, []);
    });
  }

  it('changes only the fields that differ', async () => {
    await workspace.apply([dataSource('billing')]);
    const { plan } = await workspace.apply([dataSource('billing', { displayName: 'Billing' })]);
    assert.deepEqual(plan.steps[0]!.body, { name: 'Billing' });
    assert.deepEqual((await workspace.plan([dataSource('billing', { displayName: 'Billing' })])).steps, []);
  });

  it('without a declared password leaves the one on the server alone', async () => {
    await workspace.apply([dataSource('billing', { password })], { secrets });
    assert.deepEqual((await workspace.plan([dataSource('billing')])).steps, []);
  });

  it('is refused when it changes the host without declaring the password that would be lost', async () => {
    await workspace.apply([dataSource('billing', { password })], { secrets });
    const plan = await workspace.plan([dataSource('billing', { uri: 'postgresql://reader@elsewhere:5432/billing' })]);
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['password-undeclared'],
    );
    assert.match(plan.refusals[0]!.remedy, /passwordFrom/);
  });

  it('found by its remembered id gets a new alias', async () => {
    await workspace.apply([dataSource('billing')]);
    const [found] = await workspace.client.call('listDataSources', {});
    const uri = dataSource('billing').uri;
    const moved = dataSource('invoices', { id: found!.id, uri, displayName: 'billing' });
    const { plan } = await workspace.apply([moved]);
    assert.deepEqual(plan.steps[0]!.body, { alias: 'invoices' });
    assert.equal(await uriOf('invoices'), uri);
  });

  /** Converges `old`, which ada has by a role. Someone then makes `payroll` by hand. @returns definitions that give `old` that alias, and the ids */
  async function takePayroll() {
    const uri = dataSource('old').uri;
    await workspace.apply([person('ada'), dataSource('old'), role('r', { people: ['ada'], dataSources: ['old'] })]);
    const { id } = (await workspace.client.call('listDataSources', {}))[0]!;
    const body = { name: 'Payroll', alias: 'payroll', configUri: 'postgresql://reader@hr.internal/payroll' };
    const { id: stranger } = await workspace.client.call('createDataSource', { body });
    const taking = dataSource('payroll', { id, uri, displayName: 'old' });
    const rest = [
      person('ada'),
      role('r', { people: ['ada'], dataSources: ['payroll'] }),
      permission('ada', 'payroll'),
    ];
    return { id, stranger, taking, rest };
  }

  it('that takes the alias of one made by hand is refused, and no one gets that one', async () => {
    const { id, stranger, taking, rest } = await takePayroll();
    const { plan, result } = await workspace.apply([taking, ...rest]);
    const [taken] = plan.refusals;
    assert.deepEqual([taken?.rail, plan.refusals.length], ['alias-taken', 1]);
    assert.match(taken!.message, new RegExp(`has: Payroll \\(id ${stranger}\\)`));
    assert.deepEqual(
      [plan.steps.map(({ operation, params }) => [operation, params['dataSource']]), result.failed],
      [[['createPermission', id]], []],
    );
    // The same where another definition keeps it.
    const keeping = dataSource('hr', { id: stranger, paused: true });
    const kept = await workspace.plan([taking, keeping, ...rest]);
    assert.deepEqual(
      [kept.refusals.map(({ rail, objects }) => [rail, ...objects]), kept.steps],
      [[['alias-taken', 'DataSource/payroll']], []],
    );
  });

  it('takes the alias of an undeclared one once an exact collection has removed that', async () => {
    const { id, stranger, taking, rest } = await takePayroll();
    const exact = { exact: ['dataSources'] } as const;
    const { plan, result } = await workspace.apply([taking, ...rest], exact);
    assert.deepEqual([plan.refusals, result.failed], [[], []]);
    const [removal, update] = ['deleteDataSource', 'updateDataSource'].map((operation) =>
      plan.steps.find((step) => step.operation === operation),
    );
    assert.deepEqual([removal?.params['dataSource'], update?.after], [stranger, [removal?.id]]);
    const left = await workspace.client.call('listDataSources', {});
    assert.deepEqual(
      left.map((one) => [one.id, one.alias]),
      [[id, 'payroll']],
    );
    assert.deepEqual((await workspace.plan([taking, ...rest], exact)).steps, []);
  });
});
