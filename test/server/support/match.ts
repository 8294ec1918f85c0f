import assert from 'node:assert/strict';
import type { FieldError, ProblemCode } from '@rolecall/api';
import type { Answer } from './service.ts';

export const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const shortId = /^[0-9A-Za-z]{12}$/;
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Holds an answer to be exactly this problem, and gives its field errors. */
export function assertProblem(answer: Answer, status: number, code: ProblemCode): FieldError[] {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/problem+json');
  const body = answer.body as Record<string, unknown>;
  assert.equal(body['code'], code, answer.text);
  assert.equal(body['status'], status);
  assert.equal(body['type'], `urn:rolecall:problem:${code}`);
  assert.equal(typeof body['title'], 'string');
  assert.equal(typeof body['detail'], 'string');
  assert.equal(body['requestId'], answer.headers.get('x-request-id'));
  return (body['errors'] ?? []) as FieldError[];
}

/** Holds an answer to be a problem about exactly these fields. */
export function assertFields(answer: Answer, status: number, code: ProblemCode, paths: string[]): void {
  const errors = assertProblem(answer, status, code);
  assert.deepEqual(errors.map(({ path }) => path).sort(), [...paths].sort(), answer.text);
  for (const { message } of errors) assert.notEqual(message, '');
}

/** The time since, in milliseconds, is small: the timestamp was made now. */
export function assertRecent(text: string): void {
  assert.match(text, timestamp);
  assert.ok(Math.abs(Date.now() - Date.parse(text)) < 60_000, text);
}
