import type { GrantLine } from '@rolecall/api';
import { ShowLoaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { setClock } from '../../times.ts';
import { usePolled } from '../../use-polled.ts';
import { Search } from './search.tsx';
import { pageSize, useSearch } from './use-search.ts';

/** Who reaches what, through what, and where that is changed. */
export function Grants() {
  const { wanted, offset, loaded, reload } = useSearch(async (query, signal) => {
    const answer = await call('listGrants', { query: queryOf(query) }, signal);
    setClock(answer.readAt);
    return answer;
  });
  usePolled(reload);
  return (
    <>
      <p class="quiet">Access is changed in Git: each line says whose definitions declared it.</p>
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
        show={({ grants, readAt }) =>
          grants.length === 0 ? <p class="quiet">Nothing is found.</p> : <GrantTable grants={grants} readAt={readAt} />
        }
      />
    </>
  );
}

/** The names that the route table has for a search: numbers travel as text. */
export function queryOf({ search, offset }: { search: string; offset: number }): { search: string; offset: string } {
  return { search, offset: String(offset) };
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
      <td>{dataSource.alias ?? dataSource.name}</td>
      <td>{role === null ? `permission ${id}` : `role ${role}`}</td>
      <td>
        <Moment at={startsAt} /> {startsAt > readAt && <span class="badge">later</span>}
      </td>
      <td>{expiresAt === null ? 'no end' : <Moment at={expiresAt} />}</td>
      <td>{managedBy ?? 'unknown'}</td>
    </tr>
  );
}
