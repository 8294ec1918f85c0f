import { useSignal } from '@preact/signals';
import { useProven } from '../../browser/use-proven.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { call } from '../../person-client.ts';
import { me } from '../../session.ts';

export interface ChangeProps {
  /** True if the person already has one. */
  readonly isReplacing: boolean;
  /** @param codes new recovery codes, which are shown once */
  readonly done: (codes: readonly string[]) => void;
}

/** Changes the password, or sets the first one. */
export function PasswordChange({ isReplacing, done }: ChangeProps) {
  const action = useProven();
  const isOpen = useSignal(false);
  if (!isOpen.value) {
    return (
      <div class="beside">
        <button type="button" onClick={() => (isOpen.value = true)}>
          {isReplacing ? 'Change the password' : 'Set a password'}
        </button>
      </div>
    );
  }
  return (
    <section aria-label="Password">
      <h3>{isReplacing ? 'Change the password' : 'Set a password'}</h3>
      <p class="quiet">Your other sessions end.</p>
      {action.proof}
      <Form
        action={action}
        label={isReplacing ? 'Change' : 'Set'}
        submit={async ({ current = '', password = '', again = '' }) => {
          if (password !== again) throw new Error('The two passwords differ.');
          const { recoveryCodes } = await call('addFactors', {
            body: { password, ...(isReplacing ? { currentPassword: current } : {}) },
          });
          isOpen.value = false;
          done(recoveryCodes);
        }}
      >
        <input type="text" name="username" autocomplete="username" value={me.value?.person.username} readOnly hidden />
        {isReplacing && (
          <Field label="Present password" name="current" type="password" autocomplete="current-password" />
        )}
        <Field
          label="New password"
          name="password"
          type="password"
          autocomplete="new-password"
          hint="At least 15 characters, or 8 with a second factor."
        />
        <Field label="New password again" name="again" type="password" autocomplete="new-password" />
      </Form>
      <button type="button" onClick={() => (isOpen.value = false)}>
        Leave it as it is
      </button>
    </section>
  );
}
