export * from './access-levels.ts';
export { asciiEmail, asciiUri } from './ascii-domain.ts';
export { canonicalJson } from './canonical-json.ts';
export { isPlaintextRemote, parseBaseUrl } from './client/base-url.ts';
export type { CallOptions, KnownAnswer } from './client/call-options.ts';
export { ClockSkew } from './client/clock-skew.ts';
export {
  type Client,
  createClient,
  createPersonClient,
  type PersonCallOptions,
  type PersonClient,
} from './client/create-client.ts';
export {
  AbortedError,
  AnswerTooLargeError,
  CallError,
  ClosedError,
  IdTokenError,
  InvalidRequestError,
  NetworkError,
  OptionsError,
  type Outcome,
  RedirectError,
  RolecallError,
  TimeoutError,
  type TimeoutPhase,
  UnexpectedAnswerError,
} from './client/errors.ts';
export { ExchangedKeySource } from './client/exchanged-key-source.ts';
export { ExchangingClient } from './client/exchanging-client.ts';
export { claimsOf, findIdToken, givenIdToken, type IdTokenSource, readIdToken } from './client/id-token.ts';
export type {
  AnswerInRoom,
  AnswerRoom,
  CallReport,
  ClientOptions,
  ConnectionOptions,
  PersonClientOptions,
  Retries,
  RetryReport,
  Sleep,
  Timeouts,
} from './client/options.ts';
export { isNotOffered, ProblemError, type ProblemKind } from './client/problem-error.ts';
export { type Proxies, proxyAdvice } from './client/proxies.ts';
export { loadConnections } from './client/transport.ts';
export * from './connection-uri.ts';
export * from './header-patterns.ts';
export { isLoopbackHost } from './loopback.ts';
export * from './media-types.ts';
export { type PasswordFlaw, passwordFlaw } from './password-flaw.ts';
export * from './person-api/resources/access.ts';
export * from './person-api/resources/administration.ts';
export * from './person-api/resources/editor.ts';
export * from './person-api/resources/event.ts';
export * from './person-api/resources/factor.ts';
export * from './person-api/resources/gateway.ts';
export * from './person-api/resources/login.ts';
export * from './person-api/resources/oidc.ts';
export * from './person-api/resources/query.ts';
export * from './person-api/resources/schema.ts';
export * from './person-api/resources/session.ts';
export * from './person-api/resources/snippet.ts';
export * from './person-api/route.ts';
export * from './person-api/routes.ts';
export * from './problem.ts';
export * from './problems.ts';
export * from './resources/audit.ts';
export * from './resources/data-source.ts';
export * from './resources/declaration.ts';
export * from './resources/editor.ts';
export * from './resources/gateway-session.ts';
export * from './resources/invitation.ts';
export * from './resources/lease.ts';
export * from './resources/manager.ts';
export * from './resources/permission.ts';
export * from './resources/person.ts';
export * from './resources/query.ts';
export * from './resources/role.ts';
export * from './resources/session.ts';
export * from './resources/snapshot.ts';
export * from './resources/snippet.ts';
export { storeHeader } from './resources/store.ts';
export * from './resources/token.ts';
export * from './route.ts';
export * from './routes.ts';
export {
  brokenRule,
  emailRules,
  invisible,
  maxDurationSeconds,
  messageBounds,
  nameRules,
  snippetBounds,
  type TextRule,
  textRules,
} from './text-rules.ts';
export { findTlsWeakness } from './tls-weakness.ts';
