import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useAction } from '../../use-action.ts';
import { usePolled } from '../../use-polled.ts';
import { queryOf } from './grants.tsx';
import { Search } from './search.tsx';
import { pageSize, useSearch } from './use-search.ts';

/** Who is connected through the gateway. An administrator can end each connection. */
export function AllConnections() {
  const { wanted, offset, loaded, reload } = useSearch((query, signal) =>
    call('listAllGatewaySessions', { query: queryOf(query) }, signal),
  );
  usePolled(reload);
  const action = useAction();
  return (
    <>
      {action.error !== undefined && <Failure error={action.error} />}
      <Search
        label="Search by person or data source"
        wanted={wanted}
        offset={offset}
        pageSize={pageSize}
        isComplete={loaded === undefined || 'error' in loaded || loaded.value.isComplete}
      />
      <ShowLoaded
        loaded={loaded}
        reload={reload}
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
                      {client === '' ? 'an unknown program' : client} from {address}, since <Moment at={startedAt} />
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
                    disabled={action.busy}
                    confirm={() => {
                      action.run(async () => {
                        await call('endAnyGatewaySession', { params: { gatewaySession: id } });
                        reload();
                      });
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
