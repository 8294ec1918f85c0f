import { accessNow } from '../events.ts';
import { Failure } from '../parts/failure.tsx';
import { Moment } from '../parts/moment.tsx';
import { call } from '../person-client.ts';
import { useResource } from '../resource.ts';
import { Results } from '../results/results.tsx';
import { route } from '../router.ts';

/** One of the person's queries at an address of its own: what it ran, and its results. */
export function Query() {
  const id = route.value.params['query'] ?? '';
  const { loaded, reload } = useResource((signal) => call('getMyQuery', { params: { query: id } }, signal));
  const query = loaded.value;
  if (query === undefined) return <p class="quiet">Reading the query…</p>;
  if ('error' in query) return <Failure error={query.error} retry={reload} />;
  const { dataSource, editor, createdAt } = query.value;
  const isShut = accessNow.value.get(dataSource.id)?.allowed === false;
  return (
    <div class="query">
      <h1>Query on {dataSource.name}</h1>
      <p class="quiet row">
        <span>
          run <Moment at={createdAt} />
        </span>
        {editor !== null && (
          <a class="button" href={`/editor/${editor}?query=${id}`}>
            Open in the editor
          </a>
        )}
      </p>
      {!isShut && <Commands query={id} />}
      <Results query={id} />
    </div>
  );
}

function Commands({ query }: { readonly query: string }) {
  const { loaded, reload } = useResource((signal) => call('getMyQueryCommands', { params: { query } }, signal));
  const commands = loaded.value;
  if (commands === undefined) return <p class="quiet">Reading what it ran…</p>;
  if ('error' in commands) return <Failure error={commands.error} retry={reload} />;
  return (
    <details class="commands" open={commands.value.commands.join('').length < 300}>
      <summary>What it ran</summary>
      {commands.value.commands.map((command, index) => (
        <pre key={index} tabIndex={0}>
          {command}
        </pre>
      ))}
    </details>
  );
}
