import { Unreachable } from '../person-client.ts';

interface FailureProps {
  readonly error: Error | undefined;
  readonly retry?: () => void;
}

/** Says that something failed, if it did, and offers to try again. */
export function Failure({ error, retry }: FailureProps) {
  if (error === undefined) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{error instanceof Unreachable ? 'The service cannot be reached.' : error.message}</p>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
