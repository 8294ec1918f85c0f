import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Operation as Described,
  type ProblemCode,
  personProblemsOf,
  personRouteTable,
  problemSchema,
  problems,
  problemsOf,
  type Route,
  routeTable,
} from '@rolecall/api';
import { type OpenApiDocument, type Operation, openApiDocument, personOpenApiDocument } from '@rolecall/api/openapi';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Api {
  readonly document: OpenApiDocument;
  readonly routes: readonly Described[];
  readonly problemsOf: (operationId: string) => ProblemCode[];
  /** The media types of answers that are no JSON, by their operation. */
  readonly sends: ReadonlyMap<string, readonly string[]>;
}

const keyApi: Api = {
  document: openApiDocument(),
  routes: Object.values(routeTable),
  problemsOf: (id) => problemsOf((routeTable as Record<string, Route>)[id]!),
  sends: new Map(),
};
const personRoutes = Object.values(personRouteTable);
const personApi: Api = {
  document: personOpenApiDocument(),
  routes: personRoutes,
  problemsOf: (id) => personProblemsOf(personRoutes.find(({ operationId }) => operationId === id)!),
  sends: new Map(personRoutes.flatMap(({ operationId, sends }) => (sends === undefined ? [] : [[operationId, sends]]))),
};

const operationsOf = ({ paths }: OpenApiDocument): Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item));

for (const [name, api] of [
  ['openapi.json', keyApi],
  ['/person/v1/openapi.json', personApi],
] as const) {
  const { document, routes: all } = api;
  const operations = operationsOf(document);
  const operationOf = (id: string): Operation => operations.find(({ operationId }) => operationId === id)!;
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  // The plugin is CommonJS, whose default export is one level down for ES modules.
  formats.default(ajv);
  ajv.addSchema(moveReferences({ $id: 'openapi', $defs: document.components.schemas }));
  const compiled = new Map<string, ValidateFunction>();

  const assertValid = (schema: object, example: unknown, what: string): void => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(moveReferences(schema));
    compiled.set(key, validate);
    assert.ok(validate(example), `${what}: ${JSON.stringify(example)} ${JSON.stringify(validate.errors)}`);
  };

  const responseAt = (responses: Operation['responses'], status: number): Resolved => {
    const response = responses[String(status)]!;
    if (!('$ref' in response)) return response;
    return document.components.responses[response.$ref.replace('#/components/responses/', '')]!;
  };

  describe(name, () => {
    it('is valid OpenAPI 3.1', async () => {
      const result = await new Validator().validate({ ...document });
      assert.deepEqual(result, { valid: true });
    });

    it('has every problem of every operation, with an example that is one', () => {
      for (const route of all) {
        const { responses } = operationOf(route.operationId);
        const codes = api.problemsOf(route.operationId);
        const statuses = new Set(codes.map((code) => String(problems[code].status)));
        const sends = api.sends.get(route.operationId);
        const isPaged = Object.keys(route.query.shape).length > 0;
        const unchanged = route.method === 'GET' && !isPaged && sends === undefined ? ['304'] : [];
        const success = sends?.[0] === 'redirect' ? '302' : '200';
        assert.deepEqual(Object.keys(responses).sort(), [success, ...unchanged, ...statuses].sort(), route.operationId);
        for (const code of codes) {
          const response = responseAt(responses, problems[code].status);
          const example = response.content?.['application/problem+json']?.examples?.[code]?.value;
          assert.equal(problemSchema.parse(example).code, code);
        }
      }
    });

    it('names the headers that go with a status', () => {
      for (const { responses, security } of operations) {
        if (security === undefined)
          assert.deepEqual(Object.keys(responseAt(responses, 401).headers ?? {}), ['WWW-Authenticate']);
        assert.deepEqual(Object.keys(responseAt(responses, 405).headers ?? {}), ['Allow']);
        assert.deepEqual(Object.keys(responseAt(responses, 503).headers ?? {}), ['Retry-After']);
      }
    });

    it('has only examples that fit their schema', () => {
      for (const { operationId, parameters = [], requestBody, responses } of operations) {
        for (const { name, schema, example } of parameters) assertValid(schema, example, `${operationId} ${name}`);
        if (api.sends.has(operationId)) continue;
        const contents = [
          requestBody,
          ...Object.keys(responses).map((status) => responseAt(responses, Number(status))),
        ];
        for (const content of contents) {
          for (const { schema, example, examples = {} } of Object.values(content?.content ?? {})) {
            assert.ok(example !== undefined || Object.keys(examples).length > 0, operationId);
            if (example !== undefined) assertValid(schema, example, operationId);
            for (const { value } of Object.values(examples)) assertValid(schema, value, operationId);
          }
        }
      }
    });

    it('has only examples of fields that fit the field', () => {
      let checked = 0;
      walk(document.components.schemas, (schema) => {
        for (const example of schema.examples) {
          assertValid(schema, example, JSON.stringify(schema));
          checked += 1;
        }
      });
      assert.ok(checked > 10);
    });

    it('has only request examples that the service takes, and answer examples that the client takes', () => {
      for (const route of all) {
        const { requestBody, responses } = operationOf(route.operationId);
        for (const { example } of Object.values(requestBody?.content ?? {})) route.body?.schema.parse(example);
        if (api.sends.has(route.operationId)) continue;
        for (const { example } of Object.values(responseAt(responses, 200).content ?? {})) {
          assert.deepEqual(route.answer.parse(example), example);
        }
      }
    });

    it('refuses unknown fields in requests and leaves answers open for new ones', () => {
      for (const [id, schema] of Object.entries(document.components.schemas)) {
        // The standard of this one says that other fields are ignored.
        const isStrict = id.endsWith('Request') && id !== 'EndSessionsOfProviderRequest';
        assert.equal(schema.additionalProperties, isStrict ? false : undefined, id);
      }
    });

    it('has no bound that is only the largest whole number of JavaScript', () => {
      assert.ok(!JSON.stringify(document).includes(String(Number.MAX_SAFE_INTEGER)));
    });
  });
}

describe('openapi.json', () => {
  const { document } = keyApi;
  const all: Route[] = Object.values(routeTable);
  const operations = operationsOf(document);
  const operationOf = (id: string): Operation => operations.find(({ operationId }) => operationId === id)!;

  it('has every operation of the route table at its path, and the one alias', () => {
    const expected = all.flatMap(({ operationId, method, alsoMethod, path }) => {
      const place = path.replace(/:([A-Za-z]+)/g, '{$1}');
      const alias = alsoMethod === undefined ? [] : [`${alsoMethod} ${place} ${operationId}Put`];
      return [`${method} ${place} ${operationId}`, ...alias];
    });
    const found = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );
    assert.equal(found.length, 83);
    assert.deepEqual(found.sort(), expected.sort());
  });

  it('leads from what creates an object to all that takes its identifier, and to nothing that takes more', () => {
    const linksOf = (id: string) => responseOf(id).links ?? {};
    const responseOf = (id: string): Resolved => operationOf(id).responses['200'] as Resolved;
    for (const [from, ...to] of [
      ['createPerson', 'getPerson', 'lockPerson', 'unlockPerson', 'deletePerson', 'listPersonRoles'],
      ['createDataSource', 'getDataSource', 'updateDataSource', 'deleteDataSource', 'testDataSource'],
      ['createRole', 'getRole', 'deleteRole'],
      ['createPermission', 'getPermission', 'deletePermission'],
      ['createSnippet', 'getSnippet', 'updateSnippet', 'deleteSnippet', 'createSnippetVersion'],
      ['createSnippetVersion', 'getSnippetVersion', 'activateSnippetVersion'],
      ['executeCommands', 'getQuery', 'cancelQuery'],
    ]) {
      const names = Object.keys(linksOf(from!));
      assert.deepEqual(
        to.filter((one) => !names.includes(one)),
        [],
        String(from),
      );
    }
    for (const { operationId, params } of all) {
      for (const link of Object.values(linksOf(operationId))) {
        const target = all.find((one) => one.operationId === link.operationId);
        const wanted = Object.keys(target?.params.shape ?? {}).map((name) => `path.${name}`);
        assert.deepEqual(Object.keys(link.parameters).sort(), wanted.sort(), `${operationId} ${link.operationId}`);
        for (const expression of Object.values(link.parameters)) {
          const [, place, name = ''] = /^\$(request\.path\.|response\.body#\/)(\w+)$/.exec(expression) ?? [];
          const { example } = Object.values(responseOf(operationId).content ?? {})[0] ?? {};
          assert.ok(name in (place === 'request.path.' ? params.shape : (example as object)), expression);
        }
      }
    }
  });

  it('gives every operation a key with its scope, a tag and a description', () => {
    assert.deepEqual(document.security, [{ apiKey: [] }]);
    const scheme = document.components.securitySchemes['apiKey'];
    assert.ok(scheme?.type === 'http' && scheme.scheme === 'basic');
    for (const route of all) {
      const operation = operationOf(route.operationId);
      assert.equal(operation['x-required-scope'], route.scope);
      const isOpen = route.scope === 'none';
      assert.ok(operation.description.includes(isOpen ? 'Needs no key.' : `\`${route.scope}\``));
      assert.deepEqual(operation.security, isOpen ? [] : undefined);
      assert.ok(document.tags.some(({ name }) => name === operation.tags[0]));
    }
  });

  it('takes forms and JSON where the specification has forms, else only JSON', () => {
    for (const { operationId, body } of all) {
      const types = Object.keys(operationOf(operationId).requestBody?.content ?? {});
      const form = ['application/x-www-form-urlencoded', 'application/json'];
      assert.deepEqual(types, body === undefined ? [] : body.encoding === 'form' ? form : ['application/json']);
    }
  });

  it('requires a body where a field is required', () => {
    const optional = operations.filter(({ requestBody }) => requestBody?.required === false);
    assert.deepEqual(optional.map(({ operationId }) => operationId).sort(), [
      'invitePerson',
      'recordDeclarations',
      'updateDataSource',
      'updatePermission',
      'updatePerson',
      'updateRole',
      'updateSnippet',
    ]);
  });

  it('shows the headers that make a request safe to repeat, and that hold a change to what was read', () => {
    const taking = (name: string) =>
      all.flatMap(({ operationId }) =>
        (operationOf(operationId).parameters ?? []).some((one) => one.name === name) ? [operationId] : [],
      );
    assert.deepEqual(
      taking('Idempotency-Key').sort(),
      all
        .filter(({ creates }) => creates === true)
        .map(({ operationId }) => operationId)
        .sort(),
    );
    assert.equal(taking('Idempotency-Key').length, 9);
    assert.deepEqual(
      taking('If-Match').sort(),
      all
        .filter(({ changes }) => changes !== undefined)
        .map(({ operationId }) => operationId)
        .sort(),
    );
    assert.equal(taking('If-Match').length, 26);
  });
});

describe('/person/v1/openapi.json', () => {
  it('has every operation with the session that it needs', () => {
    const operations = operationsOf(personApi.document);
    assert.deepEqual(
      operations.map((one) => [one.operationId, one['x-required-session']]).sort(),
      personRoutes.map(({ operationId, session }) => [operationId, session]).sort(),
    );
    for (const { 'x-required-session': session, security } of operations) {
      assert.deepEqual(security, session === 'none' ? [] : undefined);
    }
  });

  it('says of the parameters of a command all that the service demands', () => {
    const { schemas } = personApi.document.components;
    const describes = new Ajv2020({ strict: false }).compile(schemas['ExecuteInEditorRequest'] ?? false);
    const schema = personRouteTable.executeInEditor.body?.schema;
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [index, null]));
    for (const [body, fits] of [
      [{ commands: ['select 1', 'select 2'] }, true],
      [{ commands: ['select $1'], parameters: { 1: '42', a_Z: null } }, true],
      [{ commands: ['select $1'], parameters: { 'a b': '42' } }, false],
      [{ commands: ['select $1'], parameters: { '': '42' } }, false],
      [{ commands: ['select $1'], parameters: many }, false],
      [{ commands: ['select $1', 'select 2'], parameters: { 1: '42' } }, false],
    ] as const) {
      const shown = JSON.stringify(body).slice(0, 100);
      assert.equal(schema?.safeParse(body).success, fits, shown);
      assert.equal(describes(body), fits, shown);
    }
  });
});

type Resolved = OpenApiDocument['components']['responses'][string];

/** Points references into the schema that ajv knows the components by: a document as such is none. */
function moveReferences(schema: object): object {
  const moved: unknown = JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'openapi#/$defs/'));
  return Object(moved) as object;
}

/** Visits every schema that has examples. */
function walk(value: unknown, visit: (schema: { examples: unknown[] }) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('examples' in value && Array.isArray(value.examples)) visit({ ...value, examples: value.examples as unknown[] });
  for (const inner of Object.values(value)) walk(inner, visit);
}
