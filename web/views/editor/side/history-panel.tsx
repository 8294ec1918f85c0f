import { useSignal } from '@preact/signals';
import type { MyQuery } from '@rolecall/api';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../../browser/use-action.ts';
import { onEvent } from '../../../events.ts';
import { Failure } from '../../../parts/failure.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { call } from '../../../person-client.ts';
import { useResource } from '../../../resource.ts';

/** Milliseconds that typing pauses before its text is searched. */
const typingMs = 250;

/** Queries that are read, at most. */
const latest = 100;

interface HistoryPanelProps {
  readonly editor: string;
  /** Changes when something was run. */
  readonly turn: string;
  readonly showResults: (query: string) => void;
  /** Puts what was run into the text. */
  readonly insert: (text: string) => void;
}

/** List of the queries that the person ran in this editor, the newest first. */
export function HistoryPanel({ editor, turn, showResults, insert }: HistoryPanelProps) {
  const wanted = useSignal('');
  const { loaded, reload } = useResource((signal) => {
    const search = wanted.peek().trim();
    const query = { editor, limit: String(latest), ...(search === '' ? {} : { search }) };
    return call('listMyQueries', { query }, signal);
  });
  const action = useAction();
  useEffect(reload, [turn]);
  // What completes while the panel is open.
  useEffect(() => onEvent('query', reload), []);
  useEffect(() => {
    const timer = setTimeout(reload, typingMs);
    return () => {
      clearTimeout(timer);
    };
  }, [wanted.value]);
  const queries = loaded.value;
  if (queries === undefined) return <p class="quiet">Reading what you ran…</p>;
  if ('error' in queries) return <Failure error={queries.error} retry={reload} />;
  const take = (query: string) => {
    action.run(async () => {
      const { commands } = await call('getMyQueryCommands', { params: { query } });
      insert(commands.join(';\n'));
    });
  };
  return (
    <section class="history" aria-label="History">
      <input
        type="search"
        aria-label="Search the history"
        placeholder="Search"
        maxLength={200}
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
        }}
      />
      <Failure error={action.error} />
      {queries.value.length === 0 && (
        <p class="quiet">{wanted.value === '' ? 'Nothing yet.' : 'Nothing that you ran here has this text.'}</p>
      )}
      <ul>
        {queries.value.map((entry) => (
          <Entry key={entry.id} query={entry} showResults={showResults} insert={take} />
        ))}
      </ul>
    </section>
  );
}

interface EntryProps {
  readonly query: MyQuery;
  readonly showResults: (query: string) => void;
  readonly insert: (query: string) => void;
}

function Entry({ query, showResults, insert }: EntryProps) {
  return (
    <li>
      <code title={query.beginning ?? undefined}>{query.beginning}</code>
      <span class="quiet">
        <Moment at={query.createdAt} /> · {outcome(query)}
      </span>
      <span class="actions">
        <button
          type="button"
          onClick={() => {
            showResults(query.id);
          }}
        >
          Results
        </button>
        <button
          type="button"
          onClick={() => {
            insert(query.id);
          }}
        >
          Insert
        </button>
      </span>
    </li>
  );
}

function outcome({ success, completedAt, stopReason }: MyQuery): string {
  if (completedAt === null) return 'runs';
  if (success === true) return 'done';
  return stopReason ?? 'failed';
}
