import { operations } from 'virtual:operations';
import type { FieldError, PersonAnswerOf, PersonOperationId, PersonRequestOf } from '@rolecall/api';

/** The service refused a request. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: string;
  readonly status: number;
  constructor({ code, status, detail }: { code: string; status: number; detail: string }) {
    super(detail);
    this.code = code;
    this.status = status;
  }
}

/** The service cannot be reached, or its answer is none of its own. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

interface LooseRequest {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

let csrfToken: string | undefined;
let onSignedOut: () => void = () => undefined;
let isSamePerson: () => Promise<boolean> = () => Promise.resolve(false);

/** Sets the token that every change carries; `getMe` gives it. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Sets what happens when an answer says that the session is over. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** Sets what reads the session anew, and says whether it is still of the person that the page shows. */
export function whenExchanged(read: () => Promise<boolean>): void {
  isSamePerson = read;
}

/**
 * Calls an operation of the person's API.
 *
 * @throws Problem if the service refuses; Unreachable if it does not answer
 */
export async function call<Id extends PersonOperationId>(
  id: Id,
  request: PersonRequestOf<Id>,
  signal?: AbortSignal,
): Promise<PersonAnswerOf<Id>> {
  try {
    return await callOnce(id, request, signal);
  } catch (error) {
    // Another window has signed in since, so the browser's session is no longer the one of this page.
    if (!(error instanceof Problem) || error.code !== 'cross_site_request') throw error;
    if (!(await isSamePerson())) throw error;
    return callOnce(id, request, signal);
  }
}

async function callOnce<Id extends PersonOperationId>(
  id: Id,
  request: PersonRequestOf<Id>,
  signal?: AbortSignal,
): Promise<PersonAnswerOf<Id>> {
  // Each operation's request is a narrower form of the loose one; the type parameter hides that.
  const response = await send(id, request as LooseRequest, signal);
  const answer: unknown = await response.json().catch((error: unknown) => {
    throw new Unreachable('the service sent no JSON', { cause: error });
  });
  // The service validates its answers by the schemas of the route table.
  if (response.ok) return answer as PersonAnswerOf<Id>;
  const problem = asProblem(answer, response.status, request as LooseRequest);
  if (problem.code === 'signed_out') onSignedOut();
  throw problem;
}

async function send(id: PersonOperationId, request: LooseRequest, signal?: AbortSignal): Promise<Response> {
  const [method, path] = operations[id] ?? ['GET', ''];
  const { params = {}, query = {}, body } = request;
  const place = path.replace(/:([A-Za-z]+)/g, (_all, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  const headers = new Headers({ accept: 'application/json' });
  if (method !== 'GET' && csrfToken !== undefined) headers.set('rolecall-csrf', csrfToken);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const init: RequestInit = { method, headers, credentials: 'same-origin', redirect: 'error' };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal !== undefined) init.signal = signal;
  try {
    return await fetch(search === '' ? place : `${place}?${search}`, init);
  } catch (error) {
    throw new Unreachable('the service does not answer', { cause: error });
  }
}

function asProblem(answer: unknown, status: number, { params = {} }: LooseRequest): Problem {
  const given = (answer ?? {}) as { code?: unknown; detail?: unknown; errors?: FieldError[] };
  const text = typeof given.detail === 'string' ? given.detail : `the service answered ${status}`;
  const code = typeof given.code === 'string' ? given.code : 'unknown';
  const errors = Array.isArray(given.errors) ? given.errors : [];
  // What the page's own address names came from a person.
  const isAddress = code === 'malformed_parameter' && errors.some(({ path }) => Object.hasOwn(params, path));
  const fields = isAddress
    ? 'there is nothing at this address: it may be incomplete or mistyped'
    : errors.map(describeField).join('; ');
  return new Problem({ status, code, detail: fields === '' ? text : fields });
}

/** A field by the word that people know it by: the last of its path. */
function describeField({ path, message }: FieldError): string {
  return `${path.split('.').at(-1) ?? ''} ${message}`.trim();
}
