import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSourceDetail, Person } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import type { TestService } from '../support/service.ts';

/** A person in their editor on a data source. */
export interface InEditor {
  readonly person: Person;
  readonly source: DataSourceDetail;
  readonly session: SignedIn;
  readonly editor: string;
  readonly execute: (...commands: string[]) => Promise<string>;
  /** The query once it is complete, which it must be within 20 seconds, or as many milliseconds as are given. */
  readonly completed: (query: string, timeoutMs?: number) => Promise<{ success: boolean | null; at: number }>;
}

/** Lets a new person in by a role, as long as the editor is opened. */
export async function inEditor(service: TestService, configUri: string): Promise<InEditor> {
  const make = makers(service);
  const [person, source, role] = [await make.person(), await make.dataSource({ configUri }), await make.role()];
  await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
  await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
  const session = await signedIn(service, person.id);
  const { id: editor } = await session.ok('openEditor', 'POST', `/data-source/${source.id}/editor`);
  await service.ok('DELETE', `/role/${role.id}/person/${person.id}`);
  return {
    ...{ person, source, session, editor },
    execute: async (...commands) => {
      const path = `/editor/${editor}/query`;
      return (await session.ok('executeInEditor', 'POST', path, { json: { commands } })).queryId;
    },
    completed: async (query, timeoutMs = 20_000) => {
      const end = Date.now() + timeoutMs;
      for (;;) {
        // As an administrator, since the person's session may have ended.
        const found = await service.ok<{ completedAt: string | null; success: boolean | null }>(
          'GET',
          `/query/${query}`,
        );
        if (found.completedAt !== null) return { success: found.success, at: Date.parse(found.completedAt) };
        assert.ok(Date.now() < end, 'the query goes on');
        await sleep(5);
      }
    },
  };
}

/** Waits until a condition holds, which it must within a minute. @returns when that was, in milliseconds since 1970 */
export async function until(holds: () => Promise<boolean> | boolean): Promise<number> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'it never came');
    await sleep(10);
  }
  return Date.now();
}
