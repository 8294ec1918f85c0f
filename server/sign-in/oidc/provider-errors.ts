import { errors } from 'jose';
import * as client from 'openid-client';

/** True if the provider is down or out of reach. `fetch` throws a TypeError, and a time-out is a DOMException. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.status >= 500;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError' || (cause instanceof TypeError && cause.message === 'fetch failed')) return true;
    if (cause.cause instanceof Response) return cause.cause.status >= 500;
  }
  return false;
}

/** True if the person has cancelled at the provider, or it has not let them in. */
export function isCancelled(error: unknown): boolean {
  return error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
}

/** Why, in words that come from no token: a provider's own words are cut. */
export function reasonOf(error: unknown): string {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    const { error: code, error_description: description = '' } = error;
    return `it answers ${code.slice(0, 100)} ${description.slice(0, 300)}`.trim();
  }
  if (error instanceof errors.JOSEError || error instanceof client.ClientError) {
    const { message, cause } = error;
    return cause instanceof Error ? `${message}: ${cause.message}` : message;
  }
  return 'its answer is not what OpenID Connect says';
}
