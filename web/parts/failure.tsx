import { Unreachable } from '../person-client.ts';

/** Says that something could not be read, and offers to try again. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
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
