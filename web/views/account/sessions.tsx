import type { Session } from '@rolecall/api';
import { useProven } from '../../browser/use-proven.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { signOut } from '../../session.ts';

/** The person's own sessions, each of which they can end. */
export function Sessions() {
  const { loaded, reload } = useResource((signal) => call('listMySessions', {}, signal));
  const action = useProven();
  const sessions = loaded.value;
  const end = (session: Session) => {
    action.run(async () => {
      if (session.isCurrent) await signOut();
      else await call('endMySession', { params: { session: session.id } });
      reload();
    });
  };
  return (
    <>
      <h2>Sessions</h2>
      <Failure error={action.error} />
      {action.proof}
      {sessions === undefined && <p class="quiet">Reading your sessions…</p>}
      {sessions !== undefined && 'error' in sessions && <Failure error={sessions.error} retry={reload} />}
      {sessions !== undefined && 'value' in sessions && (
        <ul class="lines">
          {sessions.value.map((session) => (
            <li key={session.id} class="row">
              <div>
                <strong>{session.kind === 'browser' ? 'Browser' : 'Command line'}</strong>{' '}
                {session.isCurrent && <span class="badge">this one</span>}
                <div class="quiet">
                  {session.client === '' ? 'unknown program' : session.client}, from {session.address}
                </div>
                <div class="quiet">
                  since <Moment at={session.createdAt} />, until <Moment at={session.expiresAt} /> at the latest
                </div>
              </div>
              <button
                type="button"
                onClick={() => {
                  end(session);
                }}
              >
                {session.isCurrent ? 'Sign out' : 'End'}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
