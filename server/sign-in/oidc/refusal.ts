import type { SignInError } from '@rolecall/api';
import { Refusal } from '../../refusal.ts';

/** Ends a sign-in with a provider. The page tells the person why, by its code; the log has the message. */
export class OidcRefusal extends Refusal {
  readonly error: SignInError;

  constructor(error: SignInError, detail: string, cause?: unknown) {
    super(error === 'provider_unavailable' ? error : 'sign_in_refused', detail, {
      cause,
      ...(error === 'provider_unavailable' ? { headers: { 'retry-after': '10' } } : {}),
    });
    this.error = error;
  }
}
