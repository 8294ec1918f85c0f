import { useEffect, useRef } from 'preact/hooks';
import { hasPasskeys, provePasskey } from '../passkey.ts';
import { call } from '../person-client.ts';
import { useResource } from '../resource.ts';
import { takeSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { Failure } from './failure.tsx';
import { Field, Form } from './form.tsx';
import { Issuers } from './issuers.tsx';

/** Asks the person to prove a factor again, for actions that need a recent proof. */
export function Prove({ done }: { readonly done: () => void }) {
  const { loaded } = useResource((signal) => call('listMyFactors', {}, signal));
  const action = useAction();
  const known = loaded.value;
  const factors = known !== undefined && 'value' in known ? known.value.factors : [];
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
      {kinds.has('password') && (
        <Form
          action={action}
          label="Go on"
          submit={async ({ password = '' }) => {
            takeSession(await call('provePassword', { body: { password } }));
            done();
          }}
        >
          <Field label="Password" name="password" type="password" autocomplete="current-password" />
        </Form>
      )}
      {kinds.has('passkey') && hasPasskeys && (
        <button
          type="button"
          disabled={action.busy}
          onClick={() => {
            action.run(passkey);
          }}
        >
          Use a passkey
        </button>
      )}
      {known !== undefined && 'error' in known && <Failure error={known.error} />}
      {kinds.has('oidc') && <Provider names={factors.filter(({ kind }) => kind === 'oidc').map(({ name }) => name)} />}
    </section>
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
