import { useSignal } from '@preact/signals';
import { useAction } from '../browser/use-action.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Moment } from '../parts/moment.tsx';
import { call } from '../person-client.ts';
import { useResource } from '../resource.ts';
import { me } from '../session.ts';

/** A tool asks for a session: the person compares its code, and confirms. */
export function Login() {
  const code = useSignal(location.hash.slice(1));
  if (code.value !== '') return <Confirm key={code.value} code={code.value} />;
  return <EnterCode done={(entered) => (code.value = entered)} />;
}

function EnterCode({ done }: { readonly done: (code: string) => void }) {
  const action = useAction();
  return (
    <>
      <h1>Sign in at the command line</h1>
      <Form
        action={action}
        label="Go on"
        submit={({ code = '' }) => {
          done(code.trim().toUpperCase());
          return Promise.resolve();
        }}
      >
        <Field label="Code that the command line shows" name="code" autocomplete="off" />
      </Form>
    </>
  );
}

function Confirm({ code }: { readonly code: string }) {
  const { loaded, reload } = useResource((signal) => call('getLogin', { params: { code } }, signal));
  const action = useAction();
  const done = useSignal(false);
  const waiting = loaded.value;
  if (waiting === undefined) return <p class="quiet">One moment…</p>;
  if ('error' in waiting) {
    return (
      <>
        <h1>Sign in at the command line</h1>
        <Failure error={waiting.error} retry={reload} />
      </>
    );
  }
  if (done.value) return <p class="notice">Done. Go back to the command line; you can close this page.</p>;
  const { tool, address, expiresAt } = waiting.value;
  const confirm = async () => {
    const { redirect } = await call('confirmLogin', { params: { code } });
    if (redirect === null) done.value = true;
    else location.assign(redirect);
  };
  return (
    <>
      <h1>Sign in at the command line?</h1>
      <p>
        <strong>{tool}</strong>, from {address}, asks for a session of yours, {me.value?.person.name}. It could do all
        that you can do.
      </p>
      <p>
        Confirm only if you have just run <code>rolecall login</code> and it shows this code:
      </p>
      <p class="code">{code}</p>
      <Failure error={action.error} />
      <div class="ways">
        <ActionButton isMain action={action} work={confirm}>
          Confirm
        </ActionButton>
        <a class="button" href="/">
          This was not me
        </a>
      </div>
      <p class="quiet">
        The code works until <Moment at={expiresAt} />.
      </p>
    </>
  );
}
