import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NetworkError, ProblemError, TimeoutError, UnexpectedAnswerError } from '@rolecall/api';
import { harness, rejection } from './harness.ts';
import {
  type Act,
  cut,
  cutInBody,
  json,
  otherProblem,
  problem,
  raw,
  scriptedServer,
  silent,
} from './scripted-server.ts';

const params = { person: 'p1' };
const role = { id: 'r1', name: 'a', createdAt: '2026-11-02T08:30:00.000Z', updatedAt: '2026-11-02T08:30:00.000Z' };
const html = (status: number): Act => raw(status, { 'content-type': 'text/html' }, '<title>Bad</title>');
const body = { name: 'a' };

describe('a call that does the same however often it is sent', () => {
  const failures: Record<string, Act> = {
    'a connection cut before the answer': cut,
    'a 429': otherProblem(429, 'too_many_requests'),
    "a proxy's 502": html(502),
    "a proxy's 503": html(503),
    "a proxy's 504": html(504),
    "the service's 503": problem('unavailable'),
  };
  for (const [name, failure] of Object.entries(failures)) {
    it(`is repeated after ${name}`, async () => {
      await using server = await scriptedServer(failure, json([]), failure, json({}), failure, json({}));
      await using it = harness(server.url);
      assert.deepEqual(await it.client.call('listPeople', {}), []);
      assert.deepEqual(await it.client.call('lockPerson', { params }), {});
      assert.deepEqual(await it.client.call('deletePerson', { params }), {});
      assert.deepEqual(
        it.calls.map(({ method, attempt }) => `${method} ${attempt}`),
        ['GET 1', 'GET 2', 'PUT 1', 'PUT 2', 'DELETE 1', 'DELETE 2'],
      );
    });
  }

  it('is repeated when the answer is cut off', async () => {
    await using server = await scriptedServer(cutInBody, json([]));
    await using it = harness(server.url);
    assert.deepEqual(await it.client.call('listPeople', {}), []);
  });

  it('is not repeated after a refusal that stays', async () => {
    const codes = [
      'malformed_request',
      'unauthenticated',
      'insufficient_scope',
      'not_found',
      'internal_error',
    ] as const;
    for (const code of codes) {
      await using server = await scriptedServer(problem(code));
      await using it = harness(server.url);
      const error = await rejection(it.client.call('getPerson', { params }), ProblemError);
      assert.equal(error.problem, code);
      assert.equal(error.outcome, 'refused');
      assert.equal(server.received.length, 1);
    }
  });

  it('ends when its answer comes in drops, and is not repeated', async () => {
    const drops: Act = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => {
        clearInterval(timer);
      });
    };
    await using server = await scriptedServer(drops);
    await using it = harness(server.url, { timeouts: { answerMs: 300 } });
    const error = await rejection(it.client.call('listPeople', {}), TimeoutError);
    assert.equal(error.phase, 'answer');
    assert.match(error.message, /listPeople \(GET .*the answer came too slowly to finish within 300 ms.*answerMs/);
    assert.equal(server.received.length, 1);
  });

  it('is told of before it is repeated', async () => {
    await using server = await scriptedServer(cut, html(503), json([]));
    const told: string[] = [];
    await using it = harness(server.url, { onRetry: ({ error, delayMs }) => told.push(`${error.name} ${delayMs}`) });
    await it.client.call('listPeople', {});
    assert.deepEqual(told, ['NetworkError 200', 'UnexpectedAnswerError 400']);
  });

  it('is tried only as often as is set', async () => {
    await using server = await scriptedServer(cut);
    await using it = harness(server.url, { retries: { attempts: 3 } });
    const error = await rejection(it.client.call('listPeople', {}), NetworkError);
    assert.equal(error.attempts, 3);
    assert.match(error.message, /\(attempt 3\)/);
    assert.equal(server.received.length, 3);
  });
});

describe('a POST', () => {
  it('is repeated when the service itself says that it did nothing', async () => {
    await using server = await scriptedServer(
      problem('unavailable'),
      otherProblem(429, 'too_many_requests'),
      json(role),
    );
    await using it = harness(server.url);
    assert.deepEqual(await it.client.call('createRole', { body }), role);
    assert.equal(server.received.length, 3);
  });

  it('is repeated when no connection could be made', async () => {
    const stopped = await scriptedServer(silent);
    await stopped[Symbol.asyncDispose]();
    await using it = harness(stopped.url, { retries: { attempts: 4 } });
    const error = await rejection(it.client.call('createRole', { body }), NetworkError);
    assert.equal(error.outcome, 'not-sent');
    assert.equal(error.reason, 'ECONNREFUSED');
    assert.equal(it.calls.length, 4);
  });

  it('that makes something is repeated with its Idempotency-Key, even when it may have been done', async () => {
    const acts: Act[] = [cut, cutInBody, html(502), html(503), html(504), html(429)];
    for (const act of acts) {
      await using server = await scriptedServer(act, json(role));
      await using it = harness(server.url);
      assert.deepEqual(await it.client.call('createRole', { body }, { idempotencyKey: 'k' }), role);
      assert.deepEqual(
        server.received.map(({ headers }) => headers['idempotency-key']),
        ['k', 'k'],
      );
    }
  });

  it('that makes nothing is not repeated for an Idempotency-Key', async () => {
    await using server = await scriptedServer(cut, json({}));
    await using it = harness(server.url);
    const test = it.client.call('testDataSource', { params: { dataSource: 'd' } }, { idempotencyKey: 'k' });
    await rejection(test, NetworkError);
    assert.equal(server.received.length, 1);
  });

  it('without a key is never repeated when it may have been done', async () => {
    const acts: Act[] = [cut, cutInBody, html(502), html(503), html(504), html(429)];
    for (const act of acts) {
      await using server = await scriptedServer(act, json(role));
      await using it = harness(server.url);
      const failed = it.client.call('createRole', { body });
      const error = await rejection<NetworkError | UnexpectedAnswerError>(
        failed,
        act === cut || act === cutInBody ? NetworkError : UnexpectedAnswerError,
      );
      assert.equal(error.outcome, 'unknown');
      assert.equal(server.received.length, 1);
    }
  });

  it('that begins a query is never repeated at all, Idempotency-Key or not', async () => {
    await using server = await scriptedServer(problem('unavailable'));
    await using it = harness(server.url);
    const request = { params: { dataSource: 'd' }, body: { commands: ['select 1'] } };
    await rejection(it.client.call('executeCommands', request, { idempotencyKey: 'k' }), ProblemError);
    assert.equal(server.received.length, 1);
  });
});

describe('a DELETE', () => {
  it('that may have been done and then finds nothing counts as done', async () => {
    for (const act of [cut, html(502), html(504)]) {
      await using server = await scriptedServer(act, problem('not_found'));
      await using it = harness(server.url);
      assert.deepEqual(await it.client.call('deletePerson', { params }), {});
    }
  });

  it('that finds nothing at the first try is an error', async () => {
    await using server = await scriptedServer(problem('not_found'));
    await using it = harness(server.url);
    const error = await rejection(it.client.call('deletePerson', { params }), ProblemError);
    assert.equal(error.kind, 'not-found');
  });

  it('that was surely not done before and then finds nothing is an error', async () => {
    await using server = await scriptedServer(problem('unavailable'), problem('not_found'));
    await using it = harness(server.url);
    await rejection(it.client.call('deletePerson', { params }), ProblemError);
  });

  it('that finds a page of a proxy instead of a problem is an error', async () => {
    await using server = await scriptedServer(cut, html(404));
    await using it = harness(server.url);
    const error = await rejection(it.client.call('deletePerson', { params }), UnexpectedAnswerError);
    assert.equal(error.outcome, 'unknown');
  });

  it('that counts what it deletes is an error when its repetition finds nothing, and its outcome is unknown', async () => {
    await using server = await scriptedServer(cut, problem('not_found'));
    await using it = harness(server.url);
    const error = await rejection(it.client.call('deletePersonPermissions', { params }), ProblemError);
    assert.equal(error.outcome, 'unknown');
  });
});

describe('the pause before a repetition', () => {
  it('doubles up to a bound, and is drawn anew each time', async () => {
    await using server = await scriptedServer(cut);
    const retries = { attempts: 6, baseDelayMs: 100, maxDelayMs: 500 };
    await using longest = harness(server.url, { retries });
    await rejection(longest.client.call('listPeople', {}), NetworkError);
    assert.deepEqual(longest.pauses, [100, 200, 400, 500, 500]);
    await using none = harness(server.url, { retries, random: () => 0 });
    await rejection(none.client.call('listPeople', {}), NetworkError);
    assert.deepEqual(none.pauses, [0, 0, 0, 0, 0]);
  });

  it('is at least what Retry-After asks for, in seconds or as a date', async () => {
    const date = new Date(Date.now() + 20_000).toUTCString();
    await using server = await scriptedServer(
      problem('unavailable', { 'retry-after': '7' }),
      problem('unavailable', { 'retry-after': date }),
      json([]),
    );
    await using it = harness(server.url, { random: () => 0 });
    await it.client.call('listPeople', {});
    assert.equal(it.pauses[0], 7000);
    assert.ok(it.pauses[1]! > 15_000 && it.pauses[1]! <= 20_000, String(it.pauses[1]));
  });

  it('is at least what the first Retry-After asks for, where a proxy has added another one', async () => {
    const twice: Act = (response) => {
      response.writeHead(503, ['Retry-After', '7', 'Retry-After', '9', 'Content-Type', 'text/html']).end('<p>');
    };
    await using server = await scriptedServer(twice, json([]));
    await using it = harness(server.url, { random: () => 0 });
    await it.client.call('listPeople', {});
    assert.deepEqual(it.pauses, [7000]);
  });

  it('is not begun when Retry-After asks for longer than the bound', async () => {
    await using server = await scriptedServer(problem('unavailable', { 'retry-after': '3600' }));
    await using it = harness(server.url);
    const error = await rejection(it.client.call('listPeople', {}), ProblemError);
    assert.equal(error.retryAfterMs, 3_600_000);
    assert.match(error.message, /asks you to wait 3600 s/);
    assert.equal(server.received.length, 1);
  });
});

describe('a silent service', () => {
  it('is waited for no longer than the time-out, then a GET is tried again', async () => {
    await using server = await scriptedServer(silent, json([]));
    await using it = harness(server.url, { timeouts: { headersMs: 50 } });
    assert.deepEqual(await it.client.call('listPeople', {}), []);
  });

  it('leaves the outcome of a POST unknown', async () => {
    await using server = await scriptedServer(silent);
    await using it = harness(server.url, { timeouts: { headersMs: 50 } });
    const error = await rejection(it.client.call('createRole', { body }), TimeoutError);
    assert.deepEqual([error.phase, error.outcome, error.timeoutMs], ['headers', 'unknown', 50]);
    assert.match(error.message, /^createRole \(POST \/api\/v2\/role\) timed out/);
    assert.equal(server.received.length, 1);
  });

  it('that stops in the middle of an answer is a time-out too', async () => {
    const stall: Act = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('[');
    };
    await using server = await scriptedServer(stall);
    await using it = harness(server.url, { timeouts: { bodyMs: 50 }, retries: { attempts: 1 } });
    const error = await rejection(it.client.call('listPeople', {}), TimeoutError);
    assert.equal(error.phase, 'body');
  });
});
