import type { Access, AccessGrant } from '@rolecall/api';
import { now, setClock, timeLeft } from '../browser/times.ts';
import { useLive } from '../browser/use-live.ts';
import { ConnectLink } from '../parts/connect-link.tsx';
import { Failure } from '../parts/failure.tsx';
import { HowToAsk } from '../parts/how-to-ask.tsx';
import { Moment, Told, Until } from '../parts/moment.tsx';
import { OpenEditor } from '../parts/open-editor.tsx';
import { call } from '../person-client.ts';
import { useResource } from '../resource.ts';

/** Shows the person's access, its source and its end; access to come; and access lost lately, with the reason. */
export function Home() {
  const { loaded, reload } = useResource(async (signal) => {
    const answer = await call('listMyAccess', {}, signal);
    setClock(answer.readAt);
    return answer;
  });
  useLive(reload, ['access']);
  const access = loaded.value;
  if (access === undefined) return <p class="quiet">Reading what you reach…</p>;
  if ('error' in access) {
    return (
      <>
        <h1>What you reach</h1>
        <Failure error={access.error} retry={reload} />
      </>
    );
  }
  const { dataSources, isComplete } = access.value;
  const reached = dataSources.filter(({ allowed }) => allowed);
  const coming = dataSources.filter(({ upcoming }) => upcoming.length > 0);
  const lost = dataSources.filter(({ allowed, upcoming }) => !allowed && upcoming.length === 0);
  return (
    <>
      <h1>What you reach</h1>
      {reached.length === 0 && (
        <>
          <p>You reach no data source at the moment. What you are granted appears here by itself.</p>
          <HowToAsk grants={[]} />
        </>
      )}
      <ul class="cards">
        {reached.map((source) => (
          <Reached key={source.dataSource.id} access={source} />
        ))}
      </ul>
      {coming.length > 0 && (
        <>
          <h2>What comes</h2>
          <ul class="lines">
            {coming.flatMap((source) =>
              source.upcoming.map((grant) => (
                <Coming key={`${source.dataSource.id} ${grant.id}`} access={source} grant={grant} />
              )),
            )}
          </ul>
        </>
      )}
      {lost.length > 0 && (
        <>
          <h2>What you lost lately</h2>
          <ul class="lines">
            {lost.map((source) => (
              <Lost key={source.dataSource.id} access={source} />
            ))}
          </ul>
        </>
      )}
      {!isComplete && <p class="quiet">There are more grants than this page shows.</p>}
    </>
  );
}

function Name({ access: { dataSource } }: { readonly access: Access }) {
  return (
    <span>
      <strong>{dataSource.name}</strong> {dataSource.alias !== null && <code>{dataSource.alias}</code>}
    </span>
  );
}

function Reached({ access }: { readonly access: Access }) {
  const { dataSource, until, through, gateway } = access;
  return (
    <li class="card">
      <h2>
        <Name access={access} />
      </h2>
      <p class="quiet">{dataSource.type}</p>
      <p>{until === null ? 'without an end' : <Until at={until} />}</p>
      <p class="quiet">through {through.map(grantName).join(', ')}</p>
      <p>
        <OpenEditor dataSource={dataSource.id} name={dataSource.name} />{' '}
        {gateway !== null && <ConnectLink {...dataSource} />}
      </p>
    </li>
  );
}

function Coming({ access, grant: { startsAt, expiresAt } }: { readonly access: Access; readonly grant: AccessGrant }) {
  return (
    <li>
      <Name access={access} /> from <Moment at={startsAt} />
      {expiresAt !== null && (
        <>
          {' '}
          to <Moment at={expiresAt} />
        </>
      )}{' '}
      <span class="quiet">(in {timeLeft(startsAt, now.value)})</span>
    </li>
  );
}

function Lost({ access }: { readonly access: Access }) {
  return (
    <li>
      <Name access={access} />: <Told text={access.detail ?? 'your access has ended'} />
      <HowToAsk grants={access.ended} />
    </li>
  );
}

function grantName({ through, id, name, managedBy }: AccessGrant): string {
  const grant = through === 'role' ? `the role ${name ?? id}` : `the permission ${id}`;
  return managedBy === null ? grant : `${grant} (declared by ${managedBy})`;
}
