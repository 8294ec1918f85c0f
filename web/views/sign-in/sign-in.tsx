import { useSignal } from '@preact/signals';
import type { SignInError } from '@rolecall/api';
import { lazy } from '../../browser/lazy.tsx';
import { hasPasskeys, provePasskey } from '../../browser/passkey.ts';
import { useAction } from '../../browser/use-action.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Issuers } from '../../parts/issuers.tsx';
import { SecondFactorField } from '../../parts/second-factor-field.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { ended, me, signOut, takeSession } from '../../session.ts';

const SetUpFactors = lazy(async () => (await import('./set-up-factors.tsx')).SetUpFactors);

/** Sign-in of people: the factors they have proven so far decide the next step. */
export function SignIn() {
  const state = me.value?.state;
  if (state === 'pending') return <SecondFactor />;
  if (state === 'enrolling') return <SetUpFactors />;
  return <FirstFactor />;
}

function FirstFactor() {
  const { loaded, reload } = useResource((signal) => call('getSignInOptions', {}, signal));
  const options = loaded.value;
  const failure = failureOf(location.search);
  return (
    <>
      <h1>Sign in to Rolecall</h1>
      {ended.value !== undefined && <p class="notice">{ended.value}</p>}
      {failure !== undefined && (
        <p class="notice bad" role="alert">
          {failure}
        </p>
      )}
      {options !== undefined && 'error' in options && <Failure error={options.error} retry={reload} />}
      {options !== undefined && 'value' in options && <Issuers issuers={options.value.issuers} />}
      <Password />
      {hasPasskeys && <Passkey />}
      <p class="quiet">No account yet, or no way in? Ask an administrator for an invitation.</p>
    </>
  );
}

function Password() {
  const action = useAction();
  return (
    <Form
      action={action}
      label="Sign in"
      submit={async ({ username = '', password = '' }) => {
        takeSession(await call('signInWithPassword', { body: { username, password } }));
      }}
    >
      <Field label="Username" name="username" autocomplete="username webauthn" />
      <Field label="Password" name="password" type="password" autocomplete="current-password" />
    </Form>
  );
}

function Passkey() {
  const action = useAction();
  const signIn = async () => {
    const credential = await provePasskey(await call('beginPasskeySignIn', {}));
    takeSession(await call('signInWithPasskey', { body: { credential } }));
  };
  return (
    <div class="ways">
      <Failure error={action.error} />
      <ActionButton action={action} work={signIn}>
        Sign in with a passkey
      </ActionButton>
    </div>
  );
}

function SecondFactor() {
  const action = useAction();
  const usesRecoveryCode = useSignal(false);
  return (
    <>
      <h1>One more step</h1>
      <Form
        action={action}
        label="Go on"
        submit={async ({ code = '', recoveryCode = '' }) => {
          takeSession(
            usesRecoveryCode.value
              ? await call('signInWithRecoveryCode', { body: { code: recoveryCode } })
              : await call('signInWithTotp', { body: { code } }),
          );
        }}
      >
        <SecondFactorField isRecoveryCode={usesRecoveryCode.value} />
      </Form>
      <p class="ways">
        <button
          type="button"
          onClick={() => {
            usesRecoveryCode.value = !usesRecoveryCode.value;
          }}
        >
          {usesRecoveryCode.value ? 'Use the authenticator app' : 'Use a recovery code'}
        </button>
        <button
          type="button"
          onClick={() => {
            action.run(signOut);
          }}
        >
          Start again
        </button>
      </p>
    </>
  );
}

const words: Readonly<Record<SignInError, string>> = {
  cancelled: 'The provider did not let you in, or you cancelled there.',
  provider_failed:
    'The provider did not confirm who you are. Try again, or ask an administrator: the log of the service says why.',
  provider_unavailable: 'The provider does not work at the moment. Try again later, or sign in another way.',
  other_site: 'Another site led you here. To sign in, choose how.',
  other_browser: 'This sign-in was not begun in this browser, or you have begun another one since. Try again.',
  too_late: 'This sign-in was begun too long ago. Try again.',
  used: 'This sign-in was already completed. Try again.',
  not_allowed: 'The provider knows you, but your account there may not use this service. Ask an administrator.',
  unknown_person:
    'The provider knows you, but no person here has your account or a verified e-mail address of it. Ask an administrator.',
  other_account: 'The person with your e-mail address signs in here with another account. Ask an administrator.',
  locked: 'Your account here is locked. Ask an administrator.',
  altered: 'The binding of your account was changed in the database. Ask an administrator.',
};

/**
 * Returns the page's words for a failed sign-in with a provider. It never shows text of the address.
 *
 * @param search of the address of the page, as in `?error=locked`
 */
function failureOf(search: string): string | undefined {
  const code = new URLSearchParams(search).get('error');
  if (code === null) return undefined;
  return isKnown(code) ? words[code] : 'The sign-in failed. Try again.';
}

function isKnown(code: string): code is SignInError {
  return Object.hasOwn(words, code);
}
