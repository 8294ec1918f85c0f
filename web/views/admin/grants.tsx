import type { GrantLine } from '@rolecall/api';
import { setClock } from '../../browser/times.ts';
import { usePolled } from '../../browser/use-polled.ts';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { SearchedList, useSearch } from './searched-list.tsx';

/** List of the people's access, with its source and the place where it is changed. */
export function Grants() {
  const searched = useSearch(async (query, signal) => {
    const answer = await call('listGrants', { query }, signal);
    setClock(answer.readAt);
    return answer;
  });
  usePolled(searched.reload);
  return (
    <>
      <p class="quiet">Access is changed in Git: each line says whose definitions declared it.</p>
      <SearchedList
        searched={searched}
        show={({ grants, readAt }) =>
          grants.length === 0 ? <p class="quiet">Nothing is found.</p> : <GrantTable grants={grants} readAt={readAt} />
        }
      />
    </>
  );
}

function GrantTable({ grants, readAt }: { readonly grants: readonly GrantLine[]; readonly readAt: string }) {
  return (
    <div class="scrolls" role="region" aria-label="Who reaches what" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {['person', 'reaches', 'through', 'from', 'until', 'declared by'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grants.map((grant) => (
            <Grant key={`${grant.person.id} ${grant.dataSource.id} ${grant.id}`} grant={grant} readAt={readAt} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Grant({ grant, readAt }: { readonly grant: GrantLine; readonly readAt: string }) {
  const { person, isLocked, dataSource, id, role, startsAt, expiresAt, managedBy } = grant;
  return (
    <tr>
      <th scope="row">
        {person.name} <span class="quiet">{person.username}</span> {isLocked && <span class="badge">locked</span>}
      </th>
      <td data-column="reaches">{dataSource.alias ?? dataSource.name}</td>
      <td data-column="through">{role === null ? `permission ${id}` : `role ${role}`}</td>
      <td data-column="from">
        <Moment at={startsAt} /> {startsAt > readAt && <span class="badge">later</span>}
      </td>
      <td data-column="until">{expiresAt === null ? 'no end' : <Moment at={expiresAt} />}</td>
      <td data-column="declared by">{managedBy ?? 'unknown'}</td>
    </tr>
  );
}
