/**
 * The registry of everything that can go wrong, as the service says it. Each code is stable: clients branch on it.
 * docs/errors.md is generated from here, and a test holds the two together.
 */
export const problems = {
  malformed_request: {
    status: 400,
    title: 'The request is malformed',
    meaning: 'The request line, a header, the body or its encoding cannot be read as what it claims to be.',
    remedy: 'Correct the part that `detail` names; `errors` says which field or position.',
  },
  malformed_parameter: {
    status: 400,
    title: 'A parameter of the path or the query string is malformed',
    meaning: 'An identifier, index or number in the URL does not have the shape that the operation takes.',
    remedy: 'Send the identifier exactly as the service gave it; `errors` names the parameter and its shape.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key is malformed',
    meaning: 'It is empty, too long, sent twice or has characters that it may not have; `detail` says which.',
    remedy: 'Send a string in quotes, such as `Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"`.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid API key is required',
    meaning: 'There is no HTTP Basic authentication, or the key is unknown, revoked, expired or its secret is wrong.',
    remedy:
      'Send the user name `<API_KEY_ID>@api` and the key secret as the password; `rolecall keys create` makes a key.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key does not have the scope that this operation needs',
    meaning:
      'The key is valid, but its scope is smaller than the one that `detail` names, or it is limited to data sources and the operation reaches further.',
    remedy:
      'Use a key with that scope: `rolecall keys create --scope SCOPE` makes one; without `--data-source` it is not limited.',
  },
  token_refused: {
    status: 403,
    title: 'The token is not exchanged for an API key',
    meaning:
      'Its issuer is not trusted, its signature, times or audience are wrong, no rule fits its claims, or it was exchanged before; `detail` says which.',
    remedy:
      'Get a new token from the platform with the audience of the rule; compare its claims with the file that `rolecall serve --trust` was given.',
  },
  not_found: {
    status: 404,
    title: 'There is no such resource',
    meaning: 'The path names a route or an identifier that does not exist, or no longer exists.',
    remedy: 'List the collection to see the identifiers that exist; check the path against openapi.json.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not take this method',
    meaning: 'The path exists, with other methods.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    status: 406,
    title: 'The service cannot answer in a media type that is accepted',
    meaning: 'The `Accept` header excludes every media type that the service has.',
    remedy: 'Send `Accept: application/vnd.service.v2+json` or `application/json`, or leave the header out.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    meaning: 'The connection was too slow in sending the headers or the body.',
    remedy: 'Send the request again on a working connection.',
  },
  username_taken: {
    status: 409,
    title: 'Another person has this username',
    meaning: 'Usernames are unique without regard to case.',
    remedy: 'Choose another username, or use the person that exists.',
  },
  email_taken: {
    status: 409,
    title: 'Another person has this e-mail address',
    meaning: 'E-mail addresses are unique without regard to case.',
    remedy: 'Use another address, or use the person that exists.',
  },
  alias_taken: {
    status: 409,
    title: 'Another data source has this alias',
    meaning: 'Aliases are unique.',
    remedy: 'Choose another alias, or use the data source that exists.',
  },
  role_name_taken: {
    status: 409,
    title: 'Another role has this name',
    meaning: 'Role names are unique.',
    remedy: 'Choose another name, or use the role that exists.',
  },
  person_not_locked: {
    status: 409,
    title: 'The person must be locked before being deleted',
    meaning: 'Deleting a person cannot be undone, so the service takes it in two steps.',
    remedy: 'Send `PUT /api/v2/person/:person/lock` first, then delete.',
  },
  precondition_failed: {
    status: 412,
    title: 'The object is no longer as it was',
    meaning: 'None of the entity tags in `If-Match` is that of the object as it is now; nothing was changed.',
    remedy: 'Read the object again, decide whether the change still holds, and send it with the new `ETag`.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is larger than the service takes',
    meaning: 'A request body may have at most the number of bytes that `detail` names.',
    remedy: 'Send less.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL is longer than the service takes',
    meaning: 'A part of the path or the query string is too long to name anything that exists.',
    remedy: 'Send the identifier exactly as the service gave it.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body has a media type that the operation does not take',
    meaning: 'The `Content-Type` is absent, unknown or names a character set other than UTF-8.',
    remedy: 'Send `application/x-www-form-urlencoded` or `application/json`, in UTF-8.',
  },
  invalid_fields: {
    status: 422,
    title: 'The request is well formed, but a field is invalid',
    meaning:
      'A field is missing, unknown, of the wrong type, out of bounds, or refers to something that does not exist.',
    remedy: 'Correct each field that `errors` names.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key came with another request before',
    meaning: 'A key stands for one request of one API key, for 24 hours; this request differs from that one.',
    remedy: 'Give each request a key of its own; repeat a request exactly as it was.',
  },
  too_many_requests: {
    status: 429,
    title: 'There were too many requests',
    meaning:
      'The API key makes more requests than it may, or has too many queries that run or wait, or too many requests from this address had a wrong key; nothing of the request was done.',
    remedy: 'Send it again after the number of seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are larger than the service takes',
    meaning: 'All headers together may have 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    meaning: 'A defect of the service; nothing of the request was stored.',
    remedy: 'Report it with the `requestId`; the log has the cause.',
  },
  unavailable: {
    status: 503,
    title: 'The service cannot answer at the moment',
    meaning: 'It is shutting down, or overloaded, or its store cannot be written; nothing of the request was stored.',
    remedy: 'Send it again after the number of seconds in `Retry-After`.',
  },
  audit_trail_broken: {
    status: 503,
    title: 'The audit trail is not as the service left it',
    meaning:
      'The audit trail was changed in the database, and not by the service; nothing of the request was stored. Reads are still answered.',
    remedy:
      'The operator of the service finds out what happened with `rolecall audit verify`, then lets the trail go on with `rolecall audit resume`.',
  },
  storage_full: {
    status: 507,
    title: 'The service has no room to store the request',
    meaning: 'The disk of the service is full; nothing of the request was stored. Reads are still answered.',
    remedy: 'Free space on the disk of the service; it then continues by itself.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export interface ProblemDefinition {
  status: number;
  title: string;
  meaning: string;
  remedy: string;
}

export type ProblemCode = keyof typeof problems;

export const problemCodes = Object.keys(problems) as ProblemCode[];
