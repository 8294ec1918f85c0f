import { useSignal } from '@preact/signals';
import type { Invitation } from '@rolecall/api';
import { useProven } from '../../browser/use-proven.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';

/** People who cannot sign in yet, and a link for each of them. */
export function Invitations() {
  const { loaded, reload } = useResource((signal) => call('listInvited', {}, signal));
  const action = useProven();
  const made = useSignal<Invitation | undefined>(undefined);
  return (
    <>
      {made.value !== undefined && <NewLink invitation={made.value} done={() => (made.value = undefined)} />}
      <Failure error={action.error} />
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
                  <ActionButton
                    action={action}
                    work={async () => {
                      made.value = await call('inviteAnyone', { params: { person: person.id } });
                      reload();
                    }}
                  >
                    Make a link
                  </ActionButton>
                </li>
              ))}
            </ul>
          )
        }
      />
    </>
  );
}

function NewLink({ invitation, done }: { readonly invitation: Invitation; readonly done: () => void }) {
  return (
    <section class="notice" aria-label="The link">
      <p>
        Give this link to {invitation.person.name}. It works once, until <Moment at={invitation.expiresAt} />, and is
        shown only now.
      </p>
      <p>
        <code class="secret">{invitation.link}</code>
      </p>
      <button type="button" onClick={done}>
        I have it
      </button>
    </section>
  );
}
