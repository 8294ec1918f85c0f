import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { hasPasskeys, provePasskey } from '../browser/passkey.ts';
import { type Action, useAction } from '../browser/use-action.ts';
import { call } from '../person-client.ts';
import { useResource } from '../resource.ts';
import { takeSession } from '../session.ts';
import { ActionButton } from './action-button.tsx';
import { Failure } from './failure.tsx';
import { Field, Form } from './form.tsx';
import { Issuers } from './issuers.tsx';
import { SecondFactorField } from './second-factor-field.tsx';

/** Asks the person to prove again who they are, by as many factors as at a sign-in, for actions that need a recent proof. */
export function Prove({ done }: { readonly done: () => void }) {
  const { loaded, reload } = useResource((signal) => call('listMyFactors', {}, signal));
  const action = useAction();
  const result = loaded.value;
  const factors = result !== undefined && 'value' in result ? result.value.factors : [];
  const kinds = new Set(factors.map(({ kind }) => kind));
  const passkey = async () => {
    const credential = await provePasskey(await call('beginPasskeyProof', {}));
    takeSession(await call('provePasskey', { body: { credential } }));
    done();
  };
  const place = useRef<HTMLElement>(null);
  // It appears where the keyboard would go on behind it.
  useEffect(() => place.current?.focus(), []);
  return (
    <section class="notice" aria-label="Proof that it is you" tabIndex={-1} ref={place}>
      <p>Prove that it is you, then this is done.</p>
      {kinds.has('passkey') && hasPasskeys && (
        <div class="ways">
          <ActionButton action={action} work={passkey}>
            Use a passkey
          </ActionButton>
        </div>
      )}
      {kinds.has('password') && (
        <Password action={action} hasApp={kinds.has('totp')} hasPasskey={kinds.has('passkey')} done={done} />
      )}
      {!kinds.has('password') && <Failure error={action.error} />}
      {result !== undefined && 'error' in result && <Failure error={result.error} retry={reload} />}
      {kinds.has('oidc') && <Provider names={factors.filter(({ kind }) => kind === 'oidc').map(({ name }) => name)} />}
    </section>
  );
}

interface PasswordProps {
  readonly action: Action;
  readonly hasApp: boolean;
  readonly hasPasskey: boolean;
  readonly done: () => void;
}

/** The password, with a code where the person has a second factor. */
function Password({ action, hasApp, hasPasskey, done }: PasswordProps) {
  const hasSecond = hasApp || hasPasskey;
  const choosesRecoveryCode = useSignal(false);
  const isRecoveryCode = choosesRecoveryCode.value || !hasApp;
  return (
    <>
      <Form
        action={action}
        label="Go on"
        submit={async ({ password = '', ...second }) => {
          takeSession(await call('provePassword', { body: { password, ...second } }));
          done();
        }}
      >
        {hasSecond && (
          <p>
            {hasPasskey ? 'Without the passkey, give' : 'Give'} your password and{' '}
            {isRecoveryCode ? 'one of your recovery codes' : 'a code of your authenticator app'}.
          </p>
        )}
        <Field label="Password" name="password" type="password" autocomplete="current-password" />
        {hasSecond && <SecondFactorField isRecoveryCode={isRecoveryCode} />}
      </Form>
      {hasApp && (
        <p class="ways">
          <button type="button" onClick={() => (choosesRecoveryCode.value = !isRecoveryCode)}>
            {isRecoveryCode ? 'Use the authenticator app' : 'Use a recovery code'}
          </button>
        </p>
      )}
    </>
  );
}

/** The provider asks the person again, and leads back here. */
function Provider({ names }: { readonly names: readonly string[] }) {
  const { loaded, reload } = useResource((signal) => call('getSignInOptions', {}, signal));
  const options = loaded.value;
  if (options === undefined) return null;
  if ('error' in options) return <Failure error={options.error} retry={reload} />;
  return <Issuers fresh issuers={options.value.issuers.filter(({ name }) => names.includes(name))} />;
}
