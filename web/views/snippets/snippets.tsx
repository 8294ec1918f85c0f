import { useSignal } from '@preact/signals';
import type { ListedMySnippet } from '@rolecall/api';
import { useAction } from '../../browser/use-action.ts';
import { useLive } from '../../browser/use-live.ts';
import { Failure } from '../../parts/failure.tsx';
import { Choice, Field, Form, LongField } from '../../parts/form.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { navigate } from '../../router.ts';
import { describeLevel, describeOwner, publicLevelOf, publicLevels } from './words.ts';

/** The snippets that the person may read, and a new one. */
export function Snippets() {
  const { loaded, reload } = useResource((signal) => call('listMySnippets', {}, signal));
  useLive(reload, ['snippets']);
  const wanted = useSignal('');
  const list = loaded.value;
  if (list === undefined) return <p class="quiet">Reading your snippets…</p>;
  if ('error' in list) {
    return (
      <>
        <h1>Snippets</h1>
        <Failure error={list.error} retry={reload} />
      </>
    );
  }
  const { snippets, isComplete } = list.value;
  const word = wanted.value.trim().toLowerCase();
  const matches = snippets.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(word));
  return (
    <>
      <h1>Snippets</h1>
      <NewSnippet />
      <p class="search">
        <input
          type="search"
          aria-label="Search by name and description"
          placeholder="Search by name and description"
          value={wanted.value}
          onInput={({ currentTarget }) => (wanted.value = currentTarget.value)}
        />
      </p>
      {snippets.length === 0 && <p class="quiet">There is no snippet that you may read yet.</p>}
      {snippets.length > 0 && matches.length === 0 && (
        <p class="quiet">No snippet has this in its name or description.</p>
      )}
      {matches.length > 0 && (
        <ul class="lines">
          {matches.map((snippet) => (
            <SnippetLine key={snippet.id} snippet={snippet} />
          ))}
        </ul>
      )}
      {!isComplete && <p class="quiet">There are more snippets than this page shows: these are the newest.</p>}
    </>
  );
}

function SnippetLine({ snippet }: { readonly snippet: ListedMySnippet }) {
  const { id, name, description, isLocked, level, updatedAt } = snippet;
  return (
    <li>
      <a href={`/snippets/${encodeURIComponent(id)}`}>
        <strong>{name}</strong>
      </a>{' '}
      {isLocked && <span class="badge">locked</span>}
      {description !== '' && <div>{description}</div>}
      <div class="quiet">
        {describeOwner(snippet)}; {describeLevel(level)}; changed <Moment at={updatedAt} />
      </div>
    </li>
  );
}

function NewSnippet() {
  const action = useAction();
  const isOpen = useSignal(false);
  if (!isOpen.value) {
    return (
      <p>
        <button type="button" onClick={() => (isOpen.value = true)}>
          New snippet
        </button>
      </p>
    );
  }
  return (
    <section aria-label="New snippet">
      <Form
        isWide
        action={action}
        label="Create"
        submit={async ({ name = '', description = '', text = '', level }) => {
          const publicAccessLevel = publicLevelOf(level) ?? 'none';
          const { id } = await call('createMySnippet', { body: { name, description, text, publicAccessLevel } });
          navigate(`/snippets/${encodeURIComponent(id)}`);
        }}
      >
        <Field label="Name" name="name" autocomplete="off" />
        <LongField label="Description" name="description" rows={2} />
        <LongField label="Text" name="text" isCode required rows={10} />
        <Choice label="Others may" name="level" value="none" options={publicLevels} />
      </Form>
      <button type="button" onClick={() => (isOpen.value = false)}>
        Leave it
      </button>
    </section>
  );
}
