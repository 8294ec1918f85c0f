import { useEffect } from 'preact/hooks';
import { useAction } from '../browser/use-action.ts';
import { Failure } from '../parts/failure.tsx';
import { call } from '../person-client.ts';
import { navigate } from '../router.ts';
import { takeSession } from '../session.ts';

/** Opens an invitation: its token stands behind the hash sign, which browsers send to no server. */
export function Enrol() {
  const action = useAction();
  const open = () => {
    action.run(async () => {
      takeSession(await call('startEnrolment', { body: { token: location.hash.slice(1) } }));
      navigate('/', 'replace');
    });
  };
  useEffect(open, []);
  return (
    <>
      <h1>Your invitation</h1>
      {action.error === undefined ? <p class="quiet">Opening your invitation…</p> : <Failure error={action.error} />}
    </>
  );
}
