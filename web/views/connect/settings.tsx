import { useSignal } from '@preact/signals';
import type { NewGatewayPassword } from '@rolecall/api';
import { writeToClipboard } from '../../browser/clipboard.ts';
import { useAction } from '../../browser/use-action.ts';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';

export type Made = NewGatewayPassword;

/** Settings of a client, each with a button that copies it. The password is shown this once. */
export function Settings({ made, done }: { readonly made: Made; readonly done: () => void }) {
  const { gateway, user, database, password, settings, expiresAt } = made;
  const action = useAction();
  const said = useSignal('');
  const lines = [
    ['Host', gateway?.host ?? ''],
    ['Port', String(gateway?.port ?? '')],
    ['User', user],
    ['Database', database],
    ['Password', password],
    ['Command', settings?.command ?? ''],
    ['URI', settings?.uri ?? ''],
    ['JDBC', settings?.jdbc ?? ''],
  ] as const;
  return (
    <section aria-label="What your client needs">
      <p>
        The password is shown only now. It opens connections until <Moment at={expiresAt} />.
      </p>
      <Failure error={action.error} />
      <ul class="lines">
        {lines.map(([name, value]) => (
          <li key={name} class="row setting">
            <span>
              <span class="quiet">{name}</span> <code>{value}</code>
            </span>
            <button
              type="button"
              aria-label={`Copy ${name}`}
              onClick={() => {
                action.run(async () => {
                  await writeToClipboard(value);
                  said.value = `${name} is copied.`;
                });
              }}
            >
              Copy
            </button>
          </li>
        ))}
      </ul>
      <p role="status" class="quiet">
        {said.value}
      </p>
      <button class="main" type="button" onClick={done}>
        Done
      </button>
    </section>
  );
}
