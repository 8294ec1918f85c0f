import type { DataSourceReference } from '@rolecall/api';
import type { ComponentChildren } from 'preact';
import { useAction } from '../browser/use-action.ts';
import { usePolled } from '../browser/use-polled.ts';
import { call } from '../person-client.ts';
import { useResource } from '../resource.ts';
import { Failure } from './failure.tsx';
import { ShowLoaded } from './loaded.tsx';
import { Moment } from './moment.tsx';

interface ConnectionsProps {
  /** Only those to this data source; default: all. */
  readonly dataSource?: string;
}

/** The person's open connections through the gateway, and their passwords for it. They can end each of them. */
export function Connections({ dataSource: wanted }: ConnectionsProps) {
  const { loaded, reload } = useResource(async (signal) => {
    const [sessions, passwords] = await Promise.all([
      call('listMyGatewaySessions', {}, signal),
      call('listMyGatewayPasswords', {}, signal),
    ]);
    const isWanted = ({ dataSource }: { readonly dataSource: DataSourceReference }) =>
      wanted === undefined || dataSource.id === wanted;
    return { sessions: sessions.filter(isWanted), passwords: passwords.filter(isWanted) };
  });
  usePolled(reload);
  const action = useAction();
  const end = (work: () => Promise<unknown>) => () => {
    action.run(async () => {
      await work();
      reload();
    });
  };
  return (
    <>
      <h2>Your connections</h2>
      <Failure error={action.error} />
      <ShowLoaded
        loaded={loaded.value}
        reload={reload}
        show={({ sessions, passwords }) => (
          <ul class="lines">
            {sessions.length + passwords.length === 0 && (
              <li class="quiet">You have no open connection, and no password for one.</li>
            )}
            {sessions.map(({ id, dataSource, client, address, startedAt, until }) => (
              <Line
                key={id}
                title={client === '' ? 'Unknown program' : client}
                dataSource={dataSource}
                end={end(() => call('endMyGatewaySession', { params: { gatewaySession: id } }))}
              >
                from {address}, since <Moment at={startedAt} />
                {until !== null && (
                  <>
                    , until <Moment at={until} />
                  </>
                )}
              </Line>
            ))}
            {passwords.map(({ id, dataSource, createdAt, expiresAt }) => (
              <Line
                key={id}
                title="Password"
                dataSource={dataSource}
                end={end(() => call('endMyGatewayPassword', { params: { password: id } }))}
              >
                made <Moment at={createdAt} />, opens connections until <Moment at={expiresAt} />. Its connections end
                with it
              </Line>
            ))}
          </ul>
        )}
      />
    </>
  );
}

interface LineProps {
  readonly title: string;
  readonly dataSource: DataSourceReference;
  readonly end: () => void;
  readonly children: ComponentChildren;
}

function Line({ title, dataSource: { alias, name }, end, children }: LineProps) {
  return (
    <li class="row">
      <div>
        <strong>
          <bdi>{title}</bdi>
        </strong>{' '}
        <span class="quiet">{alias ?? name}</span>
        <div class="quiet">{children}</div>
      </div>
      <button type="button" onClick={end}>
        End
      </button>
    </li>
  );
}
