import { useSignal } from '@preact/signals';
import type { AddedFactors, TotpSetup } from '@rolecall/api';
import { createPasskey, hasPasskeys } from '../../browser/passkey.ts';
import { useAction } from '../../browser/use-action.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { RecoveryCodes } from '../../parts/recovery-codes.tsx';
import { TotpFields } from '../../parts/totp-setup.tsx';
import { call } from '../../person-client.ts';
import { me, takeSession } from '../../session.ts';

/** A person who was invited, or who lacks a second factor, sets up what they will sign in with. */
export function SetUpFactors() {
  const added = useSignal<AddedFactors | undefined>(undefined);
  if (added.value !== undefined) return <KeepCodes added={added.value} />;
  const done = (answer: AddedFactors) => {
    if (answer.recoveryCodes.length > 0) added.value = answer;
    else takeSession(answer.me);
  };
  return (
    <>
      <h1>Welcome, {me.value?.person.name}</h1>
      <p>
        Choose what you will sign in with. {hasPasskeys && 'A passkey is enough by itself. '}A password of at least 15
        characters is enough, unless your service asks for a second factor.
      </p>
      {hasPasskeys && <PasskeySetup done={done} />}
      <PasswordSetup done={done} />
    </>
  );
}

interface SetupProps {
  readonly done: (added: AddedFactors) => void;
}

function PasskeySetup({ done }: SetupProps) {
  const action = useAction();
  const create = async () => {
    const credential = await createPasskey(await call('setUpPasskey', {}));
    done(await call('addFactors', { body: { passkey: { name: 'Passkey', credential } } }));
  };
  return (
    <div class="ways">
      <Failure error={action.error} />
      <ActionButton isMain action={action} work={create}>
        Create a passkey
      </ActionButton>
    </div>
  );
}

function PasswordSetup({ done }: SetupProps) {
  const action = useAction();
  const setup = useSignal<TotpSetup | undefined>(undefined);
  const begin = useAction();
  return (
    <Form
      action={action}
      label="Set up"
      submit={async ({ password = '', again = '', code = '' }) => {
        if (password !== again) throw new Error('The two passwords differ.');
        const totp = setup.value === undefined ? {} : { totp: { setup: setup.value.setup, code } };
        done(await call('addFactors', { body: { password, ...totp } }));
      }}
    >
      <input type="text" name="username" autocomplete="username" value={me.value?.person.username} readOnly hidden />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="new-password"
        hint={
          setup.value === undefined
            ? 'At least 15 characters, or 8 with an authenticator app.'
            : 'At least 8 characters.'
        }
      />
      <Field label="Password again" name="again" type="password" autocomplete="new-password" />
      {setup.value === undefined ? (
        <button
          type="button"
          onClick={() => {
            begin.run(async () => {
              setup.value = await call('setUpTotp', {});
            });
          }}
        >
          Add an authenticator app
        </button>
      ) : (
        <>
          <TotpFields setup={setup.value} />
          <button
            type="button"
            onClick={() => {
              setup.value = undefined;
            }}
          >
            Without an app
          </button>
        </>
      )}
      <Failure error={begin.error} />
    </Form>
  );
}

function KeepCodes({ added }: { readonly added: AddedFactors }) {
  return (
    <>
      <h1>Keep these codes</h1>
      <RecoveryCodes
        codes={added.recoveryCodes}
        done={() => {
          takeSession(added.me);
        }}
      />
    </>
  );
}
