import { usePolled } from '../../browser/use-polled.ts';
import { useProven } from '../../browser/use-proven.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';

/** Everyone who is signed in. An administrator can end each session. */
export function AllSessions() {
  const { loaded, reload } = useResource((signal) => call('listAllSessions', {}, signal));
  usePolled(reload);
  const action = useProven();
  return (
    <>
      <Failure error={action.error} />
      {action.proof}
      <ShowLoaded
        loaded={loaded.value}
        reload={reload}
        show={(sessions) => (
          <ul class="lines">
            {sessions.map(({ id, person, kind, address, lastUsedAt }) => (
              <li key={id} class="row">
                <div>
                  <strong>{person.name}</strong> <span class="quiet">{person.username}</span>
                  <div class="quiet">
                    {kind === 'browser' ? 'browser' : 'command line'} from {address}, last used{' '}
                    <Moment at={lastUsedAt} />
                  </div>
                </div>
                <ConfirmButton
                  label="End"
                  question={`End this session of ${person.name}?`}
                  action={action}
                  confirm={async () => {
                    await call('endAnySession', { params: { session: id } });
                    reload();
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      />
    </>
  );
}
