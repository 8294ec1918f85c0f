import { useSignal } from '@preact/signals';
import type { Factor } from '@rolecall/api';
import type { Action } from '../../browser/use-action.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';

const kindNames: Readonly<Record<Factor['kind'], string>> = {
  oidc: 'Account at your provider',
  password: 'Password',
  totp: 'Authenticator app',
  recovery_code: 'Recovery code',
  passkey: 'Passkey',
};

interface FactorLineProps {
  readonly factor: Factor;
  readonly action: Action;
  readonly done: () => void;
}

/** One of the factors, with what can be done with it. */
export function FactorLine({ factor, action, done }: FactorLineProps) {
  const { id, kind, name, createdAt, lastUsedAt } = factor;
  const isRenaming = useSignal(false);
  const rename = async ({ name: given = '' }: Readonly<Record<string, string>>) => {
    await call('renameFactor', { params: { factor: id }, body: { name: given } });
    isRenaming.value = false;
    done();
  };
  return (
    <li class="row">
      <div>
        <strong>{name}</strong> {name !== kindNames[kind] && <span class="badge">{kindNames[kind]}</span>}
        <div class="quiet">
          since <Moment at={createdAt} />,{' '}
          {lastUsedAt === null ? (
            'not used yet'
          ) : (
            <>
              last used <Moment at={lastUsedAt} />
            </>
          )}
        </div>
        {isRenaming.value && (
          <Form action={{ ...action, error: undefined }} label="Rename" submit={rename}>
            <Field label="New name" name="name" autocomplete="off" value={name} />
          </Form>
        )}
      </div>
      <div class="beside">
        <button type="button" onClick={() => (isRenaming.value = !isRenaming.value)}>
          {isRenaming.value ? 'Keep the name' : 'Rename'}
        </button>
        <ConfirmButton
          label="Remove"
          question={`Remove ${name}? Your other sessions end.`}
          action={action}
          confirm={async () => {
            await call('removeFactor', { params: { factor: id } });
            done();
          }}
        />
      </div>
    </li>
  );
}
