import { useAction } from '../../browser/use-action.ts';
import { usePolled } from '../../browser/use-polled.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { SearchedList, useSearch } from './searched-list.tsx';

/** List of the people who are connected through the gateway. An administrator can end each connection. */
export function AllConnections() {
  const searched = useSearch((query, signal) => call('listAllGatewaySessions', { query }, signal));
  usePolled(searched.reload);
  const action = useAction();
  return (
    <>
      <Failure error={action.error} />
      <SearchedList
        searched={searched}
        show={({ sessions }) =>
          sessions.length === 0 ? (
            <p class="quiet">No one is connected through the gateway.</p>
          ) : (
            <ul class="lines">
              {sessions.map(({ id, person, dataSource, client, address, startedAt, until, process }) => (
                <li key={id} class="row">
                  <div>
                    <strong>{person.name}</strong> <span class="quiet">{person.username}</span> on{' '}
                    {dataSource.alias ?? dataSource.name}
                    <div class="quiet">
                      <bdi>{client === '' ? 'an unknown program' : client}</bdi> from {address}, since{' '}
                      <Moment at={startedAt} />
                      {until !== null && (
                        <>
                          , until <Moment at={until} />
                        </>
                      )}
                      ; at {process}
                    </div>
                  </div>
                  <ConfirmButton
                    label="End"
                    question={`End this connection of ${person.name}?`}
                    action={action}
                    confirm={async () => {
                      await call('endAnyGatewaySession', { params: { gatewaySession: id } });
                      searched.reload();
                    }}
                  />
                </li>
              ))}
            </ul>
          )
        }
      />
    </>
  );
}
