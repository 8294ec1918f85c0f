import type { ComponentType } from 'preact';
import type { Path } from '../../paths.ts';
import { route } from '../../router.ts';
import { AllConnections } from './all-connections.tsx';
import { AllSessions } from './all-sessions.tsx';
import { Grants } from './grants.tsx';
import { Invitations } from './invitations.tsx';
import { Messages } from './messages.tsx';
import { RunningQueries } from './running-queries.tsx';

const parts: readonly (readonly [Path, string, ComponentType])[] = [
  ['/admin', 'Who reaches what', Grants],
  ['/admin/sessions', 'Who is signed in', AllSessions],
  ['/admin/connections', 'Who is connected', AllConnections],
  ['/admin/queries', 'Which queries run', RunningQueries],
  ['/admin/messages', 'Messages', Messages],
  ['/admin/invitations', 'Invitations', Invitations],
];

/** Views for administrators. The service decides who is one. */
export function Admin() {
  const here = route.value.pattern;
  const Part = parts.find(([path]) => path === here)?.[2] ?? Grants;
  return (
    <>
      <h1>Administration</h1>
      <nav class="parts" aria-label="Parts of the administration">
        {parts.map(([path, name]) => (
          <a key={path} href={path} aria-current={path === here ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <Part />
    </>
  );
}
