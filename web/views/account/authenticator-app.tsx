import { useSignal } from '@preact/signals';
import type { TotpSetup } from '@rolecall/api';
import { useProven } from '../../browser/use-proven.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Form } from '../../parts/form.tsx';
import { TotpFields } from '../../parts/totp-setup.tsx';
import { call } from '../../person-client.ts';
import type { ChangeProps } from './password-change.tsx';

/** Sets an authenticator app up, or puts another one in the place of the present one. */
export function AuthenticatorApp({ isReplacing, done }: ChangeProps) {
  const action = useProven();
  const setup = useSignal<TotpSetup | undefined>(undefined);
  const begun = setup.value;
  if (begun === undefined) {
    return (
      <div class="beside">
        <Failure error={action.error} />
        <ActionButton
          action={action}
          work={async () => {
            setup.value = await call('setUpTotp', {});
          }}
        >
          {isReplacing ? 'Replace the authenticator app' : 'Set up an authenticator app'}
        </ActionButton>
        {action.proof}
      </div>
    );
  }
  return (
    <section aria-label="Authenticator app">
      <h3>Authenticator app</h3>
      <Form
        action={action}
        label="Use this app"
        submit={async ({ code = '' }) => {
          const { recoveryCodes } = await call('addFactors', { body: { totp: { setup: begun.setup, code } } });
          setup.value = undefined;
          done(recoveryCodes);
        }}
      >
        <TotpFields setup={begun} />
      </Form>
      {action.proof}
      <button type="button" onClick={() => (setup.value = undefined)}>
        Leave it as it is
      </button>
    </section>
  );
}
