/**
 * The registry of the service's errors. Each code is stable: clients branch on it. docs/errors.md is generated from here.
 */
export const problems = {
  malformed_request: {
    status: 400,
    title: 'The request is malformed',
    meaning: 'The service cannot parse the request line, a header, the body or its encoding.',
    remedy: 'Correct the part that `detail` names; `errors` gives the field or position.',
  },
  malformed_parameter: {
    status: 400,
    title: 'A path or query parameter is malformed',
    meaning: 'An identifier, index or number in the URL does not have the expected format.',
    remedy:
      'Send the identifier exactly as the service returned it; `errors` names the parameter and the expected format.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key is malformed',
    meaning: 'The key is empty, too long, sent twice or contains a character that is not allowed; `detail` says which.',
    remedy: 'Send a quoted string, such as `Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"`.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid API key is required',
    meaning:
      'The request has no HTTP Basic credentials, the key is unknown, revoked or expired, or its secret is wrong.',
    remedy:
      'Send `<API_KEY_ID>@api` as the user name and the key secret as the password; `rolecall keys create` creates a key.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key lacks the scope that this operation requires',
    meaning:
      'The key is valid, but it lacks the scope that `detail` names, or it is limited to some data sources and the operation is not.',
    remedy:
      'Create a key with that scope: `rolecall keys create --scope SCOPE`. Without `--data-source` the key is not limited.',
  },
  signed_out: {
    status: 401,
    title: 'You are not signed in',
    meaning:
      'The request has no session, or the session has ended: it expired, you signed out, or the person was locked or deleted.',
    remedy: "Sign in again, on the service's page or with `rolecall login`.",
  },
  second_factor_required: {
    status: 403,
    title: 'The second factor is missing',
    meaning: 'You have not yet completed the second factor, or not yet set one up.',
    remedy: 'Complete the second factor, or set one up; `GET /person/v1/me` says which.',
  },
  recent_sign_in_required: {
    status: 403,
    title: 'The operation requires a recent sign-in',
    meaning:
      'You can change factors and end other sessions only on the page, within ten minutes of proving a factor there.',
    remedy: 'Prove a factor again on the page, then repeat the request.',
  },
  sign_in_refused: {
    status: 403,
    title: 'The sign-in was refused',
    meaning:
      'The username, password, code, passkey or link is wrong, expired or already used. The service does not say which, so that others cannot find out who exists. For an OpenID provider, `detail` says why.',
    remedy: 'Try again; if nothing works, ask an administrator for an invitation.',
  },
  factor_needed: {
    status: 409,
    title: 'The remaining factors would not be enough',
    meaning: 'With the remaining factors, the person could not sign in; `detail` says what is missing.',
    remedy: 'Set up another factor first.',
  },
  not_administrator: {
    status: 403,
    title: 'The operation is for administrators',
    meaning:
      'You are not a member of the role whose members are administrators, or the service was started without `--admin-role`.',
    remedy: 'Ask for the membership in the repository that declares it.',
  },
  access_ended: {
    status: 403,
    title: 'You have no access to the data source now',
    meaning: 'No role or permission gives you access at the moment; `detail` says what ended it, and when.',
    remedy: 'Request access in the repository that declares it; `GET /person/v1/access` lists what you can reach.',
  },
  cross_site_request: {
    status: 403,
    title: 'The request comes from another site',
    meaning: "A browser sent it from a page of another origin, or without the session's CSRF token.",
    remedy: "Send the request from the service's own page, with the header `rolecall-csrf`.",
  },
  sign_in_unavailable: {
    status: 403,
    title: 'People cannot sign in to this service',
    meaning: 'The service has no address that a browser trusts: it uses plain HTTP beyond loopback.',
    remedy: 'Start the service with `--public-url https://…`, the address at which browsers reach it.',
  },
  mail_not_set_up: {
    status: 409,
    title: 'The service cannot send mail',
    meaning: 'The request asks for an invitation by mail, and the service was started without a mail server.',
    remedy:
      'Start the service with `--smtp-url` and `--smtp-from`, or set `delivery` to `link` and give the person the link yourself.',
  },
  mail_not_sent: {
    status: 502,
    title: 'The e-mail with the link could not be sent',
    meaning: 'The mail server cannot be reached or rejected the message; `detail` has its reply.',
    remedy: 'Correct `--smtp-url`, or set `delivery` to `link` and give the person the link yourself.',
  },
  schema_unreadable: {
    status: 502,
    title: 'The tables of the database cannot be read',
    meaning:
      'The database cannot be reached, refused to show its catalogue, or took too long; `detail` has its message.',
    remedy: 'Try again. Queries may still run: only the list of tables is missing.',
  },
  logout_token_refused: {
    status: 400,
    title: 'The logout token is refused',
    meaning: 'It is not signed by the provider for this service, is too old, was used before, or is no logout token.',
    remedy: 'The provider sends a new token, as OpenID Connect Back-Channel Logout 1.0 describes it.',
  },
  provider_unavailable: {
    status: 503,
    title: 'The OpenID provider cannot be reached',
    meaning:
      'The service cannot reach the provider, so no one can sign in with it. People who are signed in stay signed in.',
    remedy: 'Try again after the number of seconds in `Retry-After`, or sign in another way.',
  },
  token_refused: {
    status: 403,
    title: 'The token was refused',
    meaning:
      'The issuer is not trusted, the signature, validity period or audience is wrong, no rule matches the claims, or the token was used before; `detail` says which.',
    remedy:
      "Get a new token from the platform, with the rule's audience; compare its claims with the file passed to `rolecall serve --trust`.",
  },
  not_found: {
    status: 404,
    title: 'The resource does not exist',
    meaning: 'The route or the identifier in the path does not exist, or no longer exists.',
    remedy: 'List the collection to see the existing identifiers; check the path against openapi.json.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method',
    meaning: 'The path exists, but only with other methods.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    status: 406,
    title: 'The service cannot respond with an accepted media type',
    meaning: 'The `Accept` header excludes every media type that the service can send.',
    remedy: 'Send `Accept: application/vnd.service.v2+json` or `application/json`, or leave the header out.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    meaning: 'The client took too long to send the headers or the body.',
    remedy: 'Send the request again, over a faster connection.',
  },
  username_taken: {
    status: 409,
    title: 'Another person has this username',
    meaning: 'Usernames are unique, ignoring case.',
    remedy: 'Choose another username, or use the existing person.',
  },
  email_taken: {
    status: 409,
    title: 'Another person has this e-mail address',
    meaning: 'E-mail addresses are unique, ignoring case.',
    remedy: 'Use another address, or the existing person.',
  },
  alias_taken: {
    status: 409,
    title: 'Another data source has this alias',
    meaning: 'Aliases are unique.',
    remedy: 'Choose another alias, or use the existing data source.',
  },
  role_name_taken: {
    status: 409,
    title: 'Another role has this name',
    meaning: 'Role names are unique.',
    remedy: 'Choose another name, or use the existing role.',
  },
  person_not_locked: {
    status: 409,
    title: 'The person must be locked before they are deleted',
    meaning: 'Deleting a person cannot be undone, so the service requires two steps.',
    remedy: 'Send `PUT /api/v2/person/:person/lock` first, then delete.',
  },
  snippet_level_too_low: {
    status: 403,
    title: 'You may not do this with the snippet',
    meaning:
      'The person may read the snippet, but not change it in this way. `detail` names the level that they have, and the one it takes.',
    remedy: 'Ask an owner of the snippet, or copy it into a snippet of your own.',
  },
  snippet_locked: {
    status: 409,
    title: 'The snippet is locked',
    meaning: 'A locked snippet may be read and run. It takes no new version, no other owner, and is not deleted.',
    remedy: 'Ask an administrator to unlock it with `PUT /api/v2/snippet/:snippet/unlock`, or copy it.',
  },
  lease_held: {
    status: 409,
    title: 'Another run holds the lease on the workspace',
    meaning:
      'Only one run at a time changes the workspace; `detail` says who holds the lease, since when and until when.',
    remedy: 'Wait until it is released. It ends by itself if its holder has died.',
  },
  limit_reached: {
    status: 409,
    title: 'The limit is reached',
    meaning: 'A person may have only a limited number; `detail` gives it.',
    remedy: 'Delete one that you no longer need.',
  },
  result_incomplete: {
    status: 409,
    title: 'The rows are still being fetched',
    meaning: 'Only a complete result can be downloaded, since a partial file would look complete.',
    remedy: "Wait until the result's `hasMore` is false.",
  },
  precondition_failed: {
    status: 412,
    title: 'The object has changed',
    meaning: 'No entity tag in `If-Match` matches the current object; nothing was changed.',
    remedy: 'Read the object again, decide whether your change still applies, and send it with the new `ETag`.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning: '`detail` gives the largest body that the service accepts.',
    remedy: 'Send a smaller body.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL is too long',
    meaning: 'A part of the path or query string is too long to identify anything.',
    remedy: 'Send the identifier exactly as the service returned it.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body has an unsupported media type',
    meaning: 'The `Content-Type` is missing or unknown, or names a character set other than UTF-8.',
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
    title: 'The Idempotency-Key was used for another request',
    meaning: 'For 24 hours, a key identifies one request made with one API key; this request differs from that one.',
    remedy: 'Use a new key for each request; when you repeat a request, send it unchanged.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'The API key or person made too many requests, has too many running or waiting queries or too many downloads, or sent a wrong key, password or code too often. The service did nothing.',
    remedy: 'Repeat the request after the number of seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'All headers together may take 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    meaning: 'The service has a bug; nothing was stored.',
    remedy: "Report it with the `requestId`; the service's log has the cause.",
  },
  unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    meaning: 'It is shutting down or overloaded, or it cannot write to its store; nothing was stored.',
    remedy: 'Repeat the request after the number of seconds in `Retry-After`.',
  },
  audit_trail_broken: {
    status: 503,
    title: 'The audit trail was tampered with',
    meaning:
      'Something other than the service changed the audit trail in the database. Nothing was stored. Reads still work.',
    remedy:
      "On the service's host, run `rolecall audit verify` to find out what happened, then `rolecall audit resume` to continue the trail.",
  },
  storage_full: {
    status: 507,
    title: 'The service is out of disk space',
    meaning: "The service's disk is full; nothing was stored. Reads still work.",
    remedy: "Free space on the service's disk; it then continues by itself.",
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
