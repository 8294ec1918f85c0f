import type { TotpSetup } from '@rolecall/api';
import { encode } from 'uqr';
import { Field } from './form.tsx';

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

/** A text as a QR code, which an authenticator app reads. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={dark} fill="#000" />
    </svg>
  );
}
