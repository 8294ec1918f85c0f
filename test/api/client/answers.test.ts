import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { ProblemError, problemBody, RedirectError, UnexpectedAnswerError } from '@rolecall/api';
import { harness, keySecret, rejection } from './harness.ts';
import { type Act, json, otherProblem, problem, raw, scriptedServer } from './scripted-server.ts';

const person = {
  id: 'p1',
  name: 'Ada Lovelace',
  username: 'ada',
  email: 'ada@example.com',
  createdAt: '2026-11-02T08:30:00.000Z',
  isLocked: false,
};
const credentials = Buffer.from(`key1@api:${keySecret}`).toString('base64');

async function failure<T extends Error>(act: Act, expected: abstract new (...args: never[]) => T): Promise<T> {
  await using server = await scriptedServer(act);
  await using it = harness(server.url, { retries: { attempts: 1 } });
  return await rejection(it.client.call('listPeople', {}), expected);
}

const jsonType = { 'content-type': 'application/json' };

describe('an answer that may take longer than a timer can last', () => {
  it('is waited for', async () => {
    await using server = await scriptedServer((response, request) => {
      setTimeout(() => {
        json([])(response, request);
      }, 50);
    });
    await using it = harness(server.url, { timeouts: { answerMs: 2 ** 40 } });
    assert.deepEqual(await it.client.call('listPeople', {}), []);
  });
});

describe('an answer', () => {
  it('may have fields that this version does not know', async () => {
    await using server = await scriptedServer(json([{ ...person, avatar: { url: 'x' } }]));
    await using it = harness(server.url);
    assert.deepEqual(await it.client.call('listPeople', {}), [person]);
  });

  it('of 10,000 people is checked in well under a second', async () => {
    const people = Array.from({ length: 10_000 }, (_, index) => ({ ...person, id: `p${index}` }));
    await using server = await scriptedServer(json(people));
    await using it = harness(server.url);
    const started = performance.now();
    assert.equal((await it.client.call('listPeople', {})).length, 10_000);
    assert.ok(performance.now() - started < 2_000);
  });

  it('of the wrong shape is an error that names the field', async () => {
    const { username: _left, ...rest } = person;
    const error = await failure(json([person, rest]), UnexpectedAnswerError);
    assert.match(error.message, /^listPeople \(GET \/api\/v2\/person\) .*the field \[1\]\.username is wrong: /);
    assert.equal(error.status, 200);
    assert.equal(error.contentType, 'application/vnd.service.v2+json');
    const whole = await failure(json({ people: [] }), UnexpectedAnswerError);
    assert.match(whole.message, /the answer is wrong/);
  });

  it('that there is no such collection blames the URL, and of an object it does not', async () => {
    const notFound = await failure(problem('not_found'), ProblemError);
    assert.match(notFound.message, /404 not_found: .*\. Check the URL: /);
    assert.ok(!notFound.message.includes('openapi.json'));
    await using server = await scriptedServer(problem('not_found'));
    await using it = harness(server.url);
    const call = it.client.call('getPerson', { params: { person: '0123456789ab' } });
    assert.match((await rejection(call, ProblemError)).message, /List the collection/);
  });

  it('that is a page of a proxy is an error with a short excerpt', async () => {
    const page = `<html><style>b{}</style><script>alert(1)</script><h1>Log in</h1>\u001b[31m${'x'.repeat(5000)}</html>`;
    const error = await failure(raw(200, { 'content-type': 'text/html' }, page), UnexpectedAnswerError);
    assert.match(error.message, /status 200, text\/html\).*It says: Log in \[31mxxx/);
    assert.ok(error.message.length < 500);
    assert.ok(!error.message.includes('\u001b'));
  });

  it('that is cut off, empty, not UTF-8, compressed or without a type is an error', async () => {
    const cases: [Act, RegExp][] = [
      [raw(200, jsonType, '[{"id": "p1", "na'), /no complete JSON \(17 bytes\)/],
      [raw(200, jsonType, ''), /the body is empty/],
      [raw(200, jsonType, Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])), /not UTF-8/],
      [raw(200, { ...jsonType, 'content-encoding': 'gzip' }, 'x'), /compressed/],
      [raw(200, {}, '[]'), /no content type\).*not JSON/],
    ];
    for (const [act, message] of cases) assert.match((await failure(act, UnexpectedAnswerError)).message, message);
  });

  it('larger than the bound is an error', async () => {
    await using server = await scriptedServer(json([person]));
    await using it = harness(server.url, { maxAnswerBytes: 50, retries: { attempts: 1 } });
    const error = await rejection(it.client.call('listPeople', {}), UnexpectedAnswerError);
    assert.match(error.message, /larger than 50 bytes.*maxAnswerBytes/);
  });

  it('that is not HTTP is an error', async () => {
    const error = await failure((_, request) => request.socket.end('SSH-2.0-OpenSSH_9\r\n'), UnexpectedAnswerError);
    assert.match(error.message, /does not speak HTTP/);
  });
});

describe('a redirect', () => {
  it('is not followed; the error says which URL to use', async () => {
    const error = await failure(
      raw(301, { location: 'https://new.example.com/prefix/api/v2/person?token=abc' }, ''),
      RedirectError,
    );
    assert.match(error.message, /Use https:\/\/new\.example\.com\/prefix as the service's URL$/);
    assert.equal(error.location, 'https://new.example.com/prefix/api/v2/person');
  });

  it('to a log-in page says that something stands before the service, without the tokens', async () => {
    const error = await failure(raw(302, { location: '//sso.example.com/login?state=abc' }, ''), RedirectError);
    assert.match(
      error.message,
      /a redirect to http:\/\/sso\.example\.com\/login. Either the URL is not the service's own/,
    );
    assert.ok(!error.message.includes('abc'));
  });

  it('without a location is an error too', async () => {
    assert.equal((await failure(raw(304, {}, ''), RedirectError)).location, undefined);
  });
});

describe('a problem', () => {
  it('has all that the service said, and what to do', async () => {
    const body = problemBody('username_taken', 'another person has the username ada', {
      errors: [{ path: 'username', message: 'is taken' }],
      requestId: 'req-1f',
    });
    const error = await failure(json(body, 409, { 'content-type': 'application/problem+json' }), ProblemError);
    assert.equal(error.code, 'ERR_ROLECALL_PROBLEM');
    assert.deepEqual(
      [error.kind, error.status, error.problem, error.detail, error.requestId],
      ['conflict', 409, 'username_taken', 'another person has the username ada', 'req-1f'],
    );
    assert.deepEqual(error.errors, [{ path: 'username', message: 'is taken' }]);
    assert.equal(
      error.message,
      'listPeople (GET /api/v2/person) was refused with 409 username_taken: another person has the username ada. ' +
        'username: is taken. Choose another username, or use the existing person. Request id: req-1f',
    );
  });

  it('has a kind by its status, a code of a newer service included', async () => {
    const kinds = { 401: 'unauthenticated', 403: 'scope', 404: 'not-found', 409: 'conflict', 422: 'invalid' };
    const passing = { 429: 'rate-limited', 501: 'not-implemented', 503: 'unavailable', 418: 'other' };
    for (const [status, kind] of Object.entries({ ...kinds, ...passing })) {
      const error = await failure(otherProblem(Number(status), 'brand_new'), ProblemError);
      assert.deepEqual([error.kind, error.problem], [kind, 'brand_new']);
    }
  });

  it('of something else than the service is an unexpected answer', async () => {
    const body = { title: 'Forbidden', status: 403, detail: 'no' };
    const error = await failure(json(body, 403, { 'content-type': 'application/problem+json' }), UnexpectedAnswerError);
    assert.match(error.message, /in front of it that wants its own credentials/);
  });
});

describe('a secret', () => {
  it('never stands in an error, whatever the other side echoes', async () => {
    const echo = `Authorization: Basic ${credentials} secret ${keySecret} postgresql://ada:s3cr3t@db/x`;
    const header = { location: `https://ada:s3cr3t@elsewhere/${keySecret}?s3cr3t` };
    const acts: Act[] = [
      raw(200, { 'content-type': 'text/plain' }, echo),
      raw(500, { 'content-type': 'text/plain' }, echo),
      raw(200, jsonType, `[{"configUri": "postgresql://ada:s3cr3t@db/x", "x": "${keySecret}"`),
      json([{ ...person, isLocked: echo }]),
      json(problemBody('invalid_fields', echo, { errors: [{ path: echo, message: echo }], requestId: echo }), 422),
      raw(302, header, ''),
      raw(200, { 'content-type': `x/${keySecret}` }, ''),
      (_, request) => request.socket.destroy(),
    ];
    for (const act of acts) {
      const error = await failure(act, Error);
      const shown = `${error.message}\n${error.stack ?? ''}\n${inspect(error, { depth: 20, showHidden: true })}`;
      for (const secret of [keySecret, credentials, 's3cr3t']) {
        assert.ok(!shown.includes(secret), `${secret} in ${shown}`);
      }
    }
  });
});
