import { useSignal } from '@preact/signals';
import type { Access } from '@rolecall/api';
import { useAction } from '../../browser/use-action.ts';
import { useLive } from '../../browser/use-live.ts';
import { Connections } from '../../parts/connections.tsx';
import { Choice, Form } from '../../parts/form.tsx';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { Until } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { route } from '../../router.ts';
import { type Made, Settings } from './settings.tsx';

/** Shows how the person connects to a data source with a client of their own. */
export function Connect() {
  const dataSource = route.value.params['dataSource'] ?? '';
  const { loaded, reload } = useResource((signal) => call('getMyAccess', { params: { dataSource } }, signal));
  useLive(reload, ['access']);
  return <ShowLoaded loaded={loaded.value} reload={reload} show={(access) => <Door access={access} />} />;
}

const lengths = [
  ['60', '1 hour'],
  ['240', '4 hours'],
  ['480', '8 hours'],
  ['1440', '24 hours'],
] as const;

function Door({ access }: { readonly access: Access }) {
  const { dataSource, allowed, detail, gateway, until } = access;
  const { id, name, alias } = dataSource;
  const made = useSignal<Made | undefined>(undefined);
  const action = useAction();
  const count = useSignal(0);
  return (
    <>
      <h1>Connect to {name}</h1>
      <p class="row">
        <span>
          {alias !== null && <code>{alias}</code>} <span class="badge">{dataSource.type}</span>{' '}
          {until !== null && <Until at={until} />}
        </span>
      </p>
      {gateway === null && <p>The service has no gateway for this data source: query it on the page.</p>}
      {!allowed && <p>{detail ?? 'You do not reach it at the moment.'}</p>}
      {allowed && gateway !== null && (
        <>
          <p>
            A password of your own lets you connect with any client. When your access or this sign-in ends, the password
            and its connections end, too.
          </p>
          {made.value === undefined ? (
            <Form
              action={action}
              label="Make a password"
              submit={async ({ minutes }) => {
                const answer = await call('createGatewayPassword', {
                  params: { dataSource: id },
                  body: { minutes: Number(minutes) },
                });
                made.value = answer;
                count.value += 1;
              }}
            >
              <Choice label="It opens connections for" name="minutes" options={lengths} />
            </Form>
          ) : (
            <Settings made={made.value} done={() => (made.value = undefined)} />
          )}
        </>
      )}
      <Connections key={count.value} dataSource={id} />
    </>
  );
}
