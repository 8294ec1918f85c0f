import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openApiDocument } from '@rolecall/api/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
const { paths, components } = openApiDocument();
const ajv = new Ajv2020({ strict: false });

/** True if the document allows this body. */
const allowerOf = (id: string) => {
  const validate = ajv.compile(components.schemas[id] ?? {});
  return (body: object) => validate(body);
};

const absent = undefined;
const owners = [absent, 'none', 'person', 'role'];

/** Every way to name owners, without the fields that are absent. */
function waysToOwn(person: string, role: string): Record<string, unknown>[] {
  const ways = owners.flatMap((owner) =>
    [absent, '', null, person].flatMap((ownerPersonId) =>
      [absent, '', null, role].map((ownerRoleId) => ({ owner, ownerPersonId, ownerRoleId })),
    ),
  );
  return ways.map((way) => Object.fromEntries(Object.entries(way).filter(([, value]) => value !== absent)));
}

describe('the service holds to its OpenAPI document', () => {
  it('about the owners of a new snippet: it takes what that allows, and nothing else', async () => {
    const [person, role] = [await make.person(), await make.role()];
    const isAllowed = allowerOf('CreateSnippetRequest');
    for (const way of waysToOwn(person.id, role.id)) {
      const fields = { description: '', text: 'select 1', isLocked: false, publicAccessLevel: 'none' };
      const json = { name: `s${crypto.randomUUID()}`, ...fields, ...way };
      const { status, text } = await service.call('POST', '/snippet', { json });
      assert.equal(status === 200, isAllowed(json), `${JSON.stringify(way)} ${text}`);
    }
  });

  it('about the owners of a snippet that is changed, as far as that does not depend on who owns it', async () => {
    const [person, role] = [await make.person(), await make.role()];
    const isAllowed = allowerOf('UpdateSnippetRequest');
    for (const way of waysToOwn(person.id, role.id)) {
      const { id } = await make.snippet();
      const { status, text } = await service.call('POST', `/snippet/${id}`, { json: way });
      const what = `${JSON.stringify(way)} ${text}`;
      if (!isAllowed(way)) assert.equal(status, 422, what);
      // The identifier that was not sent, or the owner, is that of before.
      else if (status !== 200) assert.ok(typeof way['owner'] !== 'string' || !way[`${way['owner']}Id`], what);
    }
  });

  const item = paths['/api/v2/role'] ?? {};
  for (const [method, path, name] of [
    ['POST', '/role', 'Idempotency-Key'],
    ['POST', '/role', 'Rolecall-Manager'],
    ['GET', '/role', 'If-None-Match'],
  ] as const) {
    it(`about the header ${name}`, async () => {
      const parameter = item[method.toLowerCase()]?.parameters?.find((one) => one.name === name);
      const { pattern = '', maxLength = Infinity } = parameter?.schema ?? {};
      const values = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 40, seed: 7 });
      for (const value of values.filter(({ length }) => length <= maxLength)) {
        const json = method === 'GET' ? {} : { json: { name: `r${crypto.randomUUID()}` } };
        const { status, text } = await service.call(method, path, { ...json, headers: { [name]: value } });
        assert.ok([200, 304].includes(status), `${JSON.stringify(value)} ${text}`);
      }
      for (const value of ['', ' ', 'a, b;c', '"', 'é'.repeat(300)].filter((one) => !new RegExp(pattern).test(one))) {
        const json = method === 'GET' ? {} : { json: { name: `r${crypto.randomUUID()}` } };
        const { status } = await service.call(method, path, { ...json, headers: { [name]: value } });
        assert.equal(status, 400, JSON.stringify(value));
      }
    });
  }
});
