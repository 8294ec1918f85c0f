import {
  AnswerTooLargeError,
  CallError,
  IdTokenError,
  InvalidRequestError,
  NetworkError,
  ProblemError,
  RedirectError,
  TimeoutError,
  UnexpectedAnswerError,
} from '@rolecall/api';
import { inArguments } from '../configuration.ts';
import { DiagnosticError, failure, refusal } from '../plugin/framework/diagnostics.ts';

/**
 * A failure of the provider's configuration or of the whole workspace. Every other object would fail the same way, so it is
 * reported once and not once an object.
 */
export class WorkspaceError extends DiagnosticError {
  override name = 'WorkspaceError';
  override readonly isShared = true;
}

const environment = 'or the environment variables ROLECALL_KEY_ID and ROLECALL_KEY_SECRET';

/**
 * Explains a failed call to the author of a configuration.
 *
 * @param url the workspace's, as it was configured
 * @returns a WorkspaceError where the provider's configuration is at fault
 */
export function explain(error: unknown, url: string): unknown {
  if (error instanceof IdTokenError)
    return fault(
      error,
      'There is no token for a key',
      `${sentence(error)} Check the token, or give the provider a key.`,
    );
  if (error instanceof ProblemError) return explainProblem(error, url);
  if (error instanceof AnswerTooLargeError)
    return fault(
      error,
      'The workspace is too large for Terraform',
      `${inArguments(sentence(error))} The provider reads each collection as a whole, which is some 100,000 objects at most. Apply the definitions with rolecall apply or the operator instead, or part the workspace.`,
    );
  if (error instanceof UnexpectedAnswerError && !isAway(error))
    return fault(
      error,
      'The answer is not from a Rolecall workspace',
      `${sentence(error)} Correct the provider's url, which is ${url}: it may lead to a proxy, a login page or another service.`,
    );
  if (error instanceof RedirectError)
    return fault(
      error,
      'The workspace is somewhere else',
      `${sentence(error)} Correct the provider's url, which is ${url}.`,
    );
  if (error instanceof NetworkError || error instanceof TimeoutError || error instanceof UnexpectedAnswerError)
    return fault(
      error,
      'The workspace cannot be reached',
      `${inArguments(sentence(error))}${error instanceof UnexpectedAnswerError && error.status !== 429 ? ' Check that the service runs.' : ''} The provider's url is ${url}.`,
    );
  if (error instanceof InvalidRequestError || error instanceof CallError) {
    return refusal('The request failed', sentence(error), undefined, { cause: error });
  }
  return error;
}

function fault(cause: Error, summary: string, detail: string): WorkspaceError {
  return new WorkspaceError(failure(summary, detail), { cause });
}

/** True if a proxy in front of the workspace says that it cannot reach it, or lets no more requests through. */
function isAway({ status }: UnexpectedAnswerError): boolean {
  return status === 429 || (status >= 502 && status <= 504);
}

function explainProblem(error: ProblemError, url: string): DiagnosticError {
  if (error.problem === 'token_refused') {
    const remedy =
      'Each token works once: on GitHub the provider asks for a new one each time; elsewhere, run eval "$(rolecall keys exchange)" before Terraform.';
    return fault(error, 'The workspace refuses the token', `${sentence(error)} ${remedy}`);
  }
  if (error.kind === 'unauthenticated') {
    const { status, detail, requestId = 'none' } = error;
    return fault(
      error,
      'The workspace refuses the API key',
      // The remedy that the service gives is for those who write requests themselves.
      `${url} answered ${status}: ${detail}. Correct the provider's key_id and key_secret, ${environment}. The key may also have expired or been revoked: rolecall keys list, on the service's machine, shows each key. Request id: ${requestId}.`,
    );
  }
  if (error.kind === 'scope')
    return fault(
      error,
      'The API key may not do this',
      `${sentence(error)} Give the provider a key with the scope write (admin, to read connection URIs) by key_id and key_secret, ${environment}.`,
    );
  if (error.problem === 'not_found') return explainNotFound(error, url);
  if (isOutOfOrder(error)) {
    const detail = `${sentence(error)} The provider's url is ${url}.`;
    return new WorkspaceError(failure('The workspace cannot answer', detail), { cause: error });
  }
  return refusal('The workspace refused the request', sentence(error), undefined, { cause: error });
}

/** True if the service is there and cannot work, as without its store. A fault of its own in one object says nothing of the others. */
function isOutOfOrder({ status, operationId }: ProblemError): boolean {
  return status === 429 || status === 503 || (status >= 500 && operationId.startsWith('list'));
}

/** Calls that every workspace answers, whichever service it is. */
const collections: ReadonlySet<string> = new Set([
  'listPeople',
  'listRoles',
  'listDataSources',
  'listPermissions',
  'listSnippets',
]);

/** Explains a 404: without a collection, the service is no workspace; otherwise, someone deleted the object. */
function explainNotFound(error: ProblemError, url: string): DiagnosticError {
  if (collections.has(error.operationId)) {
    const detail = `${sentence(error)} Correct the provider's url, which is ${url}.`;
    return fault(error, 'The url leads to no workspace', detail);
  }
  const what = `${error.detail.charAt(0).toUpperCase()}${error.detail.slice(1)}`;
  const remedy =
    'Someone else deleted it after Terraform last read the workspace. Plan again, without -refresh=false: the plan shows what is missing.';
  return refusal('Deleted in the meantime', `${what}. ${remedy}`, undefined, { cause: error });
}

/** The message with one full stop at its end. */
function sentence({ message }: Error): string {
  return `${message.replace(/\.$/, '')}.`;
}

/** The problem behind a failure, where the service named one. */
export function problemOf(error: unknown): ProblemError | undefined {
  const cause = error instanceof DiagnosticError ? error.cause : error;
  return cause instanceof ProblemError ? cause : undefined;
}

export function isGone(error: unknown): boolean {
  return problemOf(error)?.kind === 'not-found';
}
