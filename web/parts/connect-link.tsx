import type { DataSourceReference } from '@rolecall/api';

/** Leads to how a client of the person's own connects to a data source that a gateway serves. */
export function ConnectLink({ id, name }: Pick<DataSourceReference, 'id' | 'name'>) {
  return (
    <a class="button" href={`/connect/${id}`} aria-label={`Connect to ${name}`}>
      Connect
    </a>
  );
}
