import { Connections } from '../../parts/connections.tsx';
import { me } from '../../session.ts';
import { Factors } from './factors.tsx';
import { Sessions } from './sessions.tsx';

/** View of the person's factors and sessions. */
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
