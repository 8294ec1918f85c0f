import { Field } from './form.tsx';

/** The field for a code of the authenticator app, or for a recovery code in its place. */
export function SecondFactorField({ isRecoveryCode }: { readonly isRecoveryCode: boolean }) {
  return isRecoveryCode ? (
    <Field key="recovery" label="Recovery code" name="recoveryCode" autocomplete="off" />
  ) : (
    <Field
      key="totp"
      label="Code of your authenticator app"
      name="code"
      inputMode="numeric"
      autocomplete="one-time-code"
      pattern="[0-9]{6}"
      title="six digits"
    />
  );
}
