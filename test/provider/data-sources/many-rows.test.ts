import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bounded, mostRows } from '../../../provider/data-sources/filters.ts';
import { startWorkspace } from '../../cli/support/workspace.ts';
import { bytesOf, connectPlugin, dynamic, emptyConfiguration, readWire } from '../support/plugin-client.ts';
import { attach } from '../support/terraform.ts';

describe('more than Terraform can take', () => {
  it('is refused in words by a data source, with what narrows it', () => {
    assert.equal(
      bounded(
        Array.from({ length: mostRows }, () => null),
        'rolecall_people',
        ['locked'],
      ).length,
      mostRows,
    );
    assert.throws(
      () =>
        bounded(
          Array.from({ length: mostRows + 1 }, () => null),
          'rolecall_people',
          ['locked'],
        ),
      /rolecall_people has 100001 rows, and gives no more than 100000, .* Narrow it by locked, or read/,
    );
  });

  it('is refused in words where the service sends it, before it fills the memory', async (t) => {
    await using workspace = await startWorkspace();
    const row = `{"id":"x","username":"${'u'.repeat(1000)}"},`;
    workspace.proxy.intercept = (call) =>
      Promise.resolve(
        call === 'GET /api/v2/person'
          ? { status: 200, headers: { 'content-type': 'application/json' }, body: `[${row.repeat(25_000)}]` }
          : undefined,
      );
    const attached = await attach(workspace);
    t.after(() => {
      attached.close();
    });
    using client = connectPlugin(attached);
    await client.call('ConfigureProvider', [[2, emptyConfiguration()]]);
    // ReadDataSource.Request: type_name = 1, config = 2; Response: diagnostics = 2; Diagnostic: summary = 2.
    const config = dynamic(['object', { locked: 'bool', people: ['list', 'string'] }], { locked: null, people: null });
    const [answer] = await client.call('ReadDataSource', [
      [1, Buffer.from('rolecall_people')],
      [2, config],
    ]);
    assert.equal(bytesOf(readWire(bytesOf(answer!, 2)), 2).toString(), 'The workspace is too large for Terraform');
  });
});
