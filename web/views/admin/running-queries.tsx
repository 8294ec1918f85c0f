import { useAction } from '../../browser/use-action.ts';
import { usePolled } from '../../browser/use-polled.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';

/** The queries that run, without their texts: those are in the audit trail. */
export function RunningQueries() {
  const { loaded, reload } = useResource((signal) => call('listRunningQueries', {}, signal));
  usePolled(reload);
  const action = useAction();
  return (
    <>
      <Failure error={action.error} />
      <ShowLoaded
        loaded={loaded.value}
        reload={reload}
        show={(queries) =>
          queries.length === 0 ? (
            <p class="quiet">No query is running.</p>
          ) : (
            <ul class="lines">
              {queries.map(({ id, person, dataSource, createdAt, startedAt }) => (
                <li key={id} class="row">
                  <div>
                    <strong>{person === null ? 'an API key' : person.name}</strong> on{' '}
                    {dataSource.alias ?? dataSource.name}
                    <div class="quiet">
                      {startedAt === null ? 'waiting since ' : 'running since '}
                      <Moment at={startedAt ?? createdAt} />; {id}
                    </div>
                  </div>
                  <ConfirmButton
                    label="Cancel the query"
                    question="Cancel this query?"
                    action={action}
                    confirm={async () => {
                      await call('cancelAnyQuery', { params: { query: id } });
                      reload();
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
