import { useSignal } from '@preact/signals';
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
import { failureOf } from './provider-failure.ts';

const SetUpFactors = lazy(async () => (await import('./set-up-factors.tsx')).SetUpFactors);

/** Where people come in: what they have proven so far decides what comes next. */
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
      {action.error !== undefined && <Failure error={action.error} />}
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
