import { followAgain, liveness } from '../events.ts';

/** Says quietly that the page does not follow the service at the moment. */
export function Liveness() {
  return (
    <p class="liveness quiet" role="status">
      {liveness.value === 'away' && 'Not live: the service does not answer. The page keeps trying.'}
      {liveness.value === 'replaced' && (
        <>
          Not live: you have opened many pages since.{' '}
          <button type="button" onClick={followAgain}>
            Follow here
          </button>
        </>
      )}
    </p>
  );
}
