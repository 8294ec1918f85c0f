import { useSignal } from '@preact/signals';
import type { Invitation } from '@rolecall/api';
import { Failure } from '../../parts/failure.tsx';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { useProven } from '../../use-proven.tsx';

/** People who cannot sign in yet, and a link for each of them. */
export function Invitations() {
  const { loaded, reload } = useResource((signal) => call('listInvited', {}, signal));
  const action = useProven();
  const made = useSignal<Invitation | undefined>(undefined);
  return (
    <>
      {made.value !== undefined && (
        <section class="notice" aria-label="The link">
          <p>
            Give this link to {made.value.person.name}. It works once, until <Moment at={made.value.expiresAt} />, and
            is shown only now.
          </p>
          <p>
            <code class="secret">{made.value.link}</code>
          </p>
          <button type="button" onClick={() => (made.value = undefined)}>
            I have it
          </button>
        </section>
      )}
      {action.error !== undefined && <Failure error={action.error} />}
      {action.proof}
      <ShowLoaded
        loaded={loaded.value}
        reload={reload}
        show={(people) =>
          people.length === 0 ? (
            <p class="quiet">Everyone can sign in, and no invitation is open.</p>
          ) : (
            <ul class="lines">
              {people.map(({ person, expiresAt }) => (
                <li key={person.id} class="row">
                  <div>
                    <strong>{person.name}</strong> <span class="quiet">{person.username}</span>
                    <div class="quiet">
                      {expiresAt === null ? (
                        'not invited yet'
                      ) : (
                        <>
                          invited, until <Moment at={expiresAt} />
                        </>
                      )}
                    </div>
                  </div>
                  <button
                    type="button"
                    disabled={action.busy}
                    onClick={() => {
                      action.run(async () => {
                        made.value = await call('inviteAnyone', { params: { person: person.id } });
                        reload();
                      });
                    }}
                  >
                    Make a link
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      />
    </>
  );
}
