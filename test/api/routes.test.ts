import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  operationIds,
  personProblemsOf,
  personRouteTable,
  problemCodes,
  problemsOf,
  routeTable,
  scopeAllows,
} from '@rolecall/api';

/** Every operation of the specification's tables (Endpoints), written by hand, with its own parameter names. */
const specified = `
POST /api/v2/data-source
POST /api/v2/data-source/:data-source
DELETE /api/v2/data-source/:data-source
DELETE /api/v2/data-source/:data-source/permission
GET /api/v2/data-source
GET /api/v2/data-source/:data-source
GET /api/v2/data-source/:data-source/detail
POST /api/v2/data-source/:data-source/test
POST /api/v2/data-source/:data-source/execute
GET /api/v2/data-source/:data-source/editor
GET /api/v2/data-source/:data-source/permission
GET /api/v2/data-source/:data-source/role

POST /api/v2/person
DELETE /api/v2/person/:person
DELETE /api/v2/person/:person/permission
DELETE /api/v2/person/:person/two-factor
GET /api/v2/person
GET /api/v2/person/:person
GET /api/v2/person/:person/data-source
GET /api/v2/person/:person/editor
GET /api/v2/person/:person/permission
GET /api/v2/person/:person/role
PUT /api/v2/person/:person/lock
PUT /api/v2/person/:person/unlock

POST /api/v2/role
GET /api/v2/role
GET /api/v2/role/:role
DELETE /api/v2/role/:role
PUT /api/v2/role/:role/data-source/:data-source
DELETE /api/v2/role/:role/data-source/:data-source
GET /api/v2/role/:role/data-source
PUT /api/v2/role/:role/person/:person
DELETE /api/v2/role/:role/person/:person
GET /api/v2/role/:role/person

POST /api/v2/data-source/:data-source/permission/person/:person
DELETE /api/v2/permission/:permission
DELETE /api/v2/data-source/:data-source/permission/person/:person
GET /api/v2/permission
GET /api/v2/data-source/:data-source/permission/person/:person
GET /api/v2/permission/:permission

POST /api/v2/snippet
GET /api/v2/snippet
GET /api/v2/snippet/:snippet
DELETE /api/v2/snippet/:snippet
PUT /api/v2/snippet/:snippet/lock
PUT /api/v2/snippet/:snippet/unlock
POST /api/v2/snippet/:snippet
POST /api/v2/snippet/:snippet/version
GET /api/v2/snippet/:snippet/version
GET /api/v2/snippet/:snippet/version/:snippetVersion
POST /api/v2/snippet/:snippet/version/:snippetVersion

GET /api/v2/editor
GET /api/v2/editor/:editor
GET /api/v2/editor/:editor/detail
GET /api/v2/editor/:editor/message
POST /api/v2/editor/:editor/message
DELETE /api/v2/editor/:editor/message/:messageId

GET /api/v2/query/:query
POST /api/v2/query/:query/cancel
DELETE /api/v2/query/:query
GET /api/v2/query/:query/result/:resultIndex
GET /api/v2/query/:query/result/:resultIndex/rows
`
  .trim()
  .split(/\n+/);

/** What the service has beyond the specification. */
const added = [
  'PUT /api/v2/role/:role/person/:person/windows',
  'DELETE /api/v2/session/:session',
  'GET /api/v2/audit',
  'GET /api/v2/invitation',
  'GET /api/v2/lease',
  'POST /api/v2/lease',
  'POST /api/v2/lease/:lease',
  'DELETE /api/v2/lease/:lease',
  'GET /api/v2/manager',
  'PATCH /api/v2/declaration',
  'GET /api/v2/session',
  'GET /api/v2/snapshot',
  'POST /api/v2/snapshot',
  'POST /api/v2/person/:person/invitation',
  'PATCH /api/v2/person/:person',
  'PATCH /api/v2/role/:role',
  'PATCH /api/v2/permission/:permission',
  'POST /api/v2/token-exchange',
  'GET /api/v2/gateway-session',
  'DELETE /api/v2/gateway-session/:gatewaySession',
];

const all = Object.values(routeTable);
const camelCase = (text: string): string => text.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
const parametersIn = (path: string): string[] => [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name!);

describe('the route table', () => {
  it('has each of the 62 operations of the specification once, and no other but those that are added', () => {
    assert.equal(specified.length, 62);
    const expected = specified.map((line) => line.replace(/:[a-z-]+/g, camelCase));
    assert.deepEqual(all.map(({ method, path }) => `${method} ${path}`).sort(), [...expected, ...added].sort());
  });

  it('has additions that the documentation names where it says what the specification is', () => {
    const page = readFileSync(new URL('../../docs/api-reference.md', import.meta.url), 'utf8');
    const section = /^## The specification$(.*?)^## /ms.exec(page)?.[1] ?? '';
    const named = [...section.matchAll(/`([A-Z]+ \/api\/v2\/[^`]+)`/g)].map(([, operation]) => operation);
    assert.deepEqual(named.sort(), [...added].sort());
  });

  it('names each operation by its key', () => {
    assert.deepEqual(Object.keys(routeTable), operationIds);
    for (const [id, route] of Object.entries(routeTable)) assert.equal(route.operationId, id);
  });

  it('activates a snippet version by PUT too, as the example of the specification does, and has no other alias', () => {
    assert.deepEqual(
      all.filter(({ alsoMethod }) => alsoMethod !== undefined).map(({ operationId }) => operationId),
      ['activateSnippetVersion'],
    );
    assert.equal(routeTable.activateSnippetVersion.alsoMethod, 'PUT');
  });

  it('has no two operations that one request fits', () => {
    const methods = ({ method, alsoMethod }: (typeof all)[number]): string[] =>
      alsoMethod === undefined ? [method] : [method, alsoMethod];
    // Two paths collide when they are equal up to the names of parameters; a fixed segment wins over a parameter.
    const shapes = all.flatMap((route) =>
      methods(route).map((method) => `${method} ${route.path.replace(/:[A-Za-z]+/g, ':')}`),
    );
    assert.equal(new Set(shapes).size, shapes.length);
  });

  it('describes the parameters of its path, no more and no fewer', () => {
    for (const { path, params, operationId } of all) {
      assert.deepEqual(Object.keys(params.shape).sort(), parametersIn(path).sort(), operationId);
    }
  });

  it('takes a body only where a method may have one', () => {
    for (const { method, body, operationId } of all) {
      if (body !== undefined) assert.ok(['POST', 'PUT', 'PATCH'].includes(method), operationId);
    }
  });

  it('lets a read key only read, and keeps passwords, execution and the audit trail to an admin key', () => {
    for (const { method, scope, operationId } of all) {
      const kept = [
        'getDataSourceDetail',
        'listAuditEntries',
        'listGatewaySessions',
        'listInvitations',
        'listSessions',
      ];
      const isKept = kept.includes(operationId);
      const isOpen = ['exchangeToken', 'compareSnapshot'].includes(operationId) || (method === 'GET' && !isKept);
      assert.equal(scopeAllows('read', scope), isOpen, operationId);
    }
    const admin = all.filter(({ scope }) => scope === 'admin').map(({ operationId }) => operationId);
    assert.deepEqual(admin.sort(), [
      'endGatewaySession',
      'endSession',
      'executeCommands',
      'getDataSourceDetail',
      'invitePerson',
      'listAuditEntries',
      'listGatewaySessions',
      'listInvitations',
      'listSessions',
    ]);
  });
});

describe('the registry of problems', () => {
  it('has no problem that no operation can answer with', () => {
    const people = Object.values(personRouteTable).flatMap(personProblemsOf);
    const reachable = new Set([...all.flatMap(problemsOf), ...people]);
    assert.deepEqual(
      problemCodes.filter((code) => !reachable.has(code)),
      [],
    );
  });

  it('is not named twice by one operation', () => {
    for (const route of all) {
      const codes = problemsOf(route);
      assert.equal(new Set(codes).size, codes.length, route.operationId);
    }
  });
});
