import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { TimedAccessProps } from '@rolecall/cdktf';
import { editions } from '../../../tools/cdktf/editions.ts';
import { type Loaded, loadEdition } from './support/edition.ts';
import { synth } from './support/synth.ts';

for (const edition of editions) {
  describe(`TimedAccess for ${edition.library}`, () => {
    let loaded: Loaded;
    before(async () => {
      loaded = await loadEdition(edition);
    });

    const access = (props: Partial<TimedAccessProps>) =>
      synth(
        loaded,
        (stack) =>
          new loaded.rolecall.TimedAccess(stack, 'incident', { person: 'ada', dataSource: 'billing', ...props }),
      );

    it('grants a permission to whom and what it looks up by name', () => {
      const { text } = access({ duration: '8h' });
      const { Testing } = loaded.library;
      assert.ok(Testing.toHaveDataSourceWithProperties(text, 'rolecall_person', { username: 'ada' }));
      assert.ok(Testing.toHaveDataSourceWithProperties(text, 'rolecall_data_source', { alias: 'billing' }));
      assert.ok(Testing.toHaveResourceWithProperties(text, 'rolecall_permission', { duration: '8h' }));
    });

    it('refuses a window that is none, with property and remedy', () => {
      const cases: [Partial<TimedAccessProps>, RegExp][] = [
        [{}, /TimedAccess access\/incident: expiresAt and duration are both missing\. Pass exactly one/],
        [{ duration: '8h', expiresAt: '2029-12-01T09:00:00Z' }, /expiresAt and duration exclude each other/],
        [{ duration: '8x' }, /duration is not a duration\. Write it as 8h/],
        [{ expiresAt: '2029-12-01' }, /expiresAt .*2026-12-01T09:00:00Z/],
        [
          { startsAt: '2029-12-02T09:00:00Z', expiresAt: '2029-12-01T09:00:00Z' },
          /expiresAt is not after startsAt\. Pass/,
        ],
      ];
      for (const [props, message] of cases) assert.throws(() => access(props), message);
    });

    it('leaves times that are tokens to the provider, but must know whom to look up', () => {
      const token = loaded.library.Token.asString({ resolve: () => '${var.value}' });
      const { text } = access({ startsAt: token, expiresAt: token, person: { id: token } });
      const attributes = { starts_at: '${var.value}', person_id: '${var.value}' };
      assert.ok(loaded.library.Testing.toHaveResourceWithProperties(text, 'rolecall_permission', attributes));
      for (const property of ['person', 'dataSource'] as const) {
        assert.throws(
          () => access({ duration: '8h', [property]: token }),
          (error: { code: string; message: string }) =>
            error.code === 'ERR_ROLECALL_TOKEN' &&
            error.message.startsWith(`TimedAccess access/incident: ${property} is \${var.value}, which only Terraform`),
        );
      }
    });
  });
}
