import type { TotpSetup } from '@rolecall/api';
import { Field } from './form.tsx';
import { QrCode } from './qr-code.tsx';

/** The secret for an authenticator app, and the field for the first code that the app shows. */
export function TotpFields({ setup }: { readonly setup: TotpSetup }) {
  return (
    <>
      <p>
        Scan the code with your authenticator app, or type the secret into it. Then give the code that the app shows.
      </p>
      <QrCode text={setup.uri} label="The secret for your authenticator app" />
      <p>
        <code class="secret">{setup.secret}</code>
      </p>
      <Field
        label="Code of the app"
        name="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        pattern="[0-9]{6}"
        title="six digits"
      />
    </>
  );
}
