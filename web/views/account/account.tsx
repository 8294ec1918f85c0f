import { Connections } from '../../parts/connections.tsx';
import { me } from '../../session.ts';
import { Factors } from './factors.tsx';
import { Sessions } from './sessions.tsx';

/** What the person signs in with, and their sessions. */
export function Account() {
  return (
    <>
      <h1>Your account</h1>
      <p>
        {me.value?.person.name} <span class="quiet">{me.value?.person.email}</span>
      </p>
      <Factors />
      <Sessions />
      <Connections />
    </>
  );
}
