import { useSignal } from '@preact/signals';
import type { Factor } from '@rolecall/api';
import { createPasskey, hasPasskeys } from '../../browser/passkey.ts';
import { useProven } from '../../browser/use-proven.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { RecoveryCodes } from '../../parts/recovery-codes.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { AuthenticatorApp } from './authenticator-app.tsx';
import { FactorLine } from './factor-line.tsx';
import { PasswordChange } from './password-change.tsx';

/** List of the factors by which the person signs in: each can be renamed or removed, and others added. */
export function Factors() {
  const { loaded, reload } = useResource((signal) => call('listMyFactors', {}, signal));
  const action = useProven();
  const codes = useSignal<readonly string[]>([]);
  const answer = loaded.value;
  if (answer === undefined) return <p class="quiet">Reading what you sign in with…</p>;
  if ('error' in answer) return <Failure error={answer.error} retry={reload} />;
  const { factors, recoveryCodesLeft, twoFactorRequired } = answer.value;
  const done = (newCodes: readonly string[] = []) => {
    codes.value = newCodes;
    reload();
  };
  const addPasskey = async () => {
    const credential = await createPasskey(await call('setUpPasskey', {}));
    done((await call('addFactors', { body: { passkey: { name: passkeyName(factors), credential } } })).recoveryCodes);
  };
  return (
    <>
      <h2>What you sign in with</h2>
      {codes.value.length > 0 && (
        <section class="notice" aria-label="New recovery codes">
          <RecoveryCodes codes={codes.value} done={() => (codes.value = [])} />
        </section>
      )}
      <Failure error={action.error} />
      {action.proof}
      <ul class="lines">
        {factors.map((factor) => (
          <FactorLine key={factor.id} factor={factor} action={action} done={done} />
        ))}
        <li class="row">
          <div>
            <strong>Recovery codes</strong>
            <div class="quiet">{recoveryCodesLeft} left; each works once, in place of a second factor</div>
          </div>
          <ActionButton
            action={action}
            work={async () => {
              done(await call('makeRecoveryCodes', {}));
            }}
          >
            Make new codes
          </ActionButton>
        </li>
      </ul>
      {twoFactorRequired && <p class="quiet">This service asks everyone for a second factor.</p>}
      <div class="beside">
        {hasPasskeys && (
          <ActionButton action={action} work={addPasskey}>
            Add a passkey
          </ActionButton>
        )}
      </div>
      <AuthenticatorApp isReplacing={factors.some(({ kind }) => kind === 'totp')} done={done} />
      <PasswordChange isReplacing={factors.some(({ kind }) => kind === 'password')} done={done} />
    </>
  );
}

function passkeyName(factors: readonly Factor[]): string {
  const count = factors.filter(({ kind }) => kind === 'passkey').length;
  return count === 0 ? 'Passkey' : `Passkey ${count + 1}`;
}
