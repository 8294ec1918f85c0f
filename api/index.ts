export * from './access-levels.ts';
export { isPlaintextRemote, parseBaseUrl } from './client/base-url.ts';
export type { CallOptions, KnownAnswer } from './client/call-options.ts';
export { type Client, createClient } from './client/create-client.ts';
export {
  AbortedError,
  CallError,
  ClosedError,
  InvalidRequestError,
  NetworkError,
  OptionsError,
  type Outcome,
  ProblemError,
  type ProblemKind,
  RedirectError,
  RolecallError,
  TimeoutError,
  type TimeoutPhase,
  UnexpectedAnswerError,
} from './client/errors.ts';
export type { CallReport, ClientOptions, Retries, RetryReport, Sleep, Timeouts } from './client/options.ts';
export * from './connection-uri.ts';
export * from './longest-permission.ts';
export * from './media-types.ts';
export { type PasswordFlaw, passwordFlaw } from './password-flaw.ts';
export * from './problem.ts';
export * from './problems.ts';
export * from './resources/audit.ts';
export * from './resources/data-source.ts';
export * from './resources/editor.ts';
export * from './resources/manager.ts';
export * from './resources/permission.ts';
export * from './resources/person.ts';
export * from './resources/query.ts';
export * from './resources/role.ts';
export * from './resources/snippet.ts';
export * from './resources/token.ts';
export * from './route.ts';
export * from './routes.ts';
export { brokenRule, emailRules, nameRules, snippetBounds, type TextRule, textRules } from './text-rules.ts';
export { findTlsWeakness } from './tls-weakness.ts';
