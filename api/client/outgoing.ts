import { formMediaType, jsonMediaType, vendorMediaType } from '../media-types.ts';
import { definitionHeader } from '../resources/declaration.ts';
import { managerHeader } from '../resources/manager.ts';
import type { Method, Operation } from '../route.ts';
import type { CallOptions } from './call-options.ts';
import { InvalidRequestError } from './errors.ts';
import type { Settings } from './options.ts';

/** A request to any operation; `RequestOf` says which parts each one has. */
export interface LooseRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A request as it is sent. */
export interface Outgoing {
  readonly method: Method;
  /** Without the query string, for messages and reports. */
  readonly path: string;
  /** The path with the query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * Writes an operation's request as HTTP.
 *
 * @throws InvalidRequestError for a path parameter or a field that cannot be written
 */
export function toOutgoing(
  { operationId, method, path: template, body: form }: Operation,
  request: LooseRequest,
  settings: Settings,
  options: CallOptions,
): Outgoing {
  const { idempotencyKey, cachedAnswer } = options;
  const path = settings.base.prefix + fillPath(operationId, template, request.params ?? {});
  const query = encodeForm(operationId, request.query ?? {});
  const body = form === undefined ? undefined : encodeBody(operationId, form.encoding, request.body ?? {});
  return {
    method,
    path,
    target: query === '' ? path : `${path}?${query}`,
    headers: {
      accept: vendorMediaType,
      ...(settings.authorization === undefined ? {} : { authorization: settings.authorization }),
      'user-agent': settings.userAgent,
      ...(body === undefined ? {} : { 'content-type': body.contentType }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(settings.manager === undefined || method === 'GET' ? {} : managerHeaders(settings.manager, options)),
      ...(cachedAnswer === undefined ? {} : { 'if-none-match': cachedAnswer.tag }),
    },
    body: body?.text,
  };
}

function managerHeaders(manager: string, { exact = false, declaredAs }: CallOptions): Record<string, string> {
  return {
    [managerHeader]: `${manager}${exact ? '; exact' : ''}`,
    ...(declaredAs === undefined
      ? {}
      : { [definitionHeader]: `${declaredAs.definition}${declaredAs.isKept ? '; keep' : ''}` }),
  };
}

function encodeBody(operationId: string, encoding: 'form' | 'json', fields: Readonly<Record<string, unknown>>) {
  return encoding === 'form'
    ? { contentType: formMediaType, text: encodeForm(operationId, fields) }
    : { contentType: jsonMediaType, text: JSON.stringify(fields) };
}

/** An empty segment or a dot segment would name another resource: many proxies read `/person/../role` as `/role`. */
function fillPath(operationId: string, path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text === '') throw new InvalidRequestError(operationId, name, 'must not be empty');
    if (text === '.' || text === '..') throw new InvalidRequestError(operationId, name, `must not be ${text}`);
    if (!text.isWellFormed()) throw new InvalidRequestError(operationId, name, 'has half of a surrogate pair');
    return encodeURIComponent(text);
  });
}

/**
 * Writes fields as a form. Null becomes the empty string, which the service reads as null; undefined fields are left out.
 *
 * @throws InvalidRequestError for a value that a form cannot carry
 */
function encodeForm(operationId: string, fields: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, formValue(operationId, name, value));
  }
  return form.toString();
}

function formValue(operationId: string, name: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') throw new InvalidRequestError(operationId, name, 'cannot be written in a form');
  // URLSearchParams would replace it by U+FFFD, and the service would store a different text.
  if (!value.isWellFormed()) throw new InvalidRequestError(operationId, name, 'has half of a surrogate pair');
  return value;
}
