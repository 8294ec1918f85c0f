import { useSignal } from '@preact/signals';
import type { ListedSnippetVersion, MySnippet } from '@rolecall/api';
import { useAction } from '../../browser/use-action.ts';
import { useLive } from '../../browser/use-live.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Form, LongField } from '../../parts/form.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { navigate, route } from '../../router.ts';
import { InsertIntoEditor } from './insert-into-editor.tsx';
import { Listing } from './listing.tsx';
import { SnippetAccess } from './snippet-access.tsx';
import { VersionList } from './version-list.tsx';
import { describeLevel, describeOwner } from './words.ts';

/** A snippet: its text, its versions, who owns it; or one of its versions, compared with the active one. */
export function Snippet() {
  const { snippet: id = '', version } = route.value.params;
  const { loaded, reload } = useResource(async (signal) => {
    const params = { snippet: id };
    const [snippet, versions] = await Promise.all([
      call('getMySnippet', { params }, signal),
      call('listMySnippetVersions', { params }, signal),
    ]);
    return { snippet, versions };
  });
  useLive(reload, ['snippets']);
  const shown = loaded.value;
  if (shown === undefined) return <p class="quiet">Reading the snippet…</p>;
  if ('error' in shown) {
    return (
      <>
        <h1>Snippets</h1>
        <Failure error={shown.error} retry={reload} />
        <a href="/snippets">All snippets</a>
      </>
    );
  }
  return <Shown key={version} {...shown.value} chosen={version} reload={reload} />;
}

interface ShownProps {
  readonly snippet: MySnippet;
  readonly versions: readonly ListedSnippetVersion[];
  /** The id of the version that the address names. */
  readonly chosen: string | undefined;
  readonly reload: () => void;
}

function Shown({ snippet, versions, chosen, reload }: ShownProps) {
  const { activeVersion: active, isLocked, level } = snippet;
  const version = versions.find(({ id }) => id === chosen);
  const shown = version ?? active;
  const mayWrite = level !== 'read_only' && !isLocked;
  return (
    <>
      <p class="quiet">
        <a href="/snippets">Snippets</a>
      </p>
      <h1>{shown.name}</h1>
      {isLocked && (
        <p class="notice">
          This snippet is locked: it can be read and run, but it takes no new version and its owner cannot change. Locks
          are set in Git, or by an administrator.
        </p>
      )}
      {shown.description !== '' && <p class="text">{shown.description}</p>}
      <p class="quiet">
        {describeOwner(snippet)}; {describeLevel(level)}
      </p>
      {chosen !== undefined && version === undefined && <p class="notice bad">The snippet has no such version.</p>}
      {version === undefined || version.id === active.id ? (
        <Listing text={active.text} />
      ) : (
        <>
          <h2>This version, compared with the active one</h2>
          <Listing original={active.text} text={version.text} />
        </>
      )}
      <InsertIntoEditor title={shown.name} text={shown.text} />
      {mayWrite && <NewVersion key={active.id} snippet={snippet} reload={reload} />}
      <VersionList snippet={snippet} versions={versions} mayWrite={mayWrite} reload={reload} />
      {level === 'manage' && !isLocked && (
        <>
          <SnippetAccess snippet={snippet} reload={reload} />
          <DeleteSnippet snippet={snippet} />
        </>
      )}
    </>
  );
}

function NewVersion({ snippet, reload }: { readonly snippet: MySnippet; readonly reload: () => void }) {
  const { id, activeVersion } = snippet;
  const action = useAction();
  const isOpen = useSignal(false);
  if (!isOpen.value) {
    return (
      <p>
        <button type="button" onClick={() => (isOpen.value = true)}>
          New version
        </button>
      </p>
    );
  }
  return (
    <section aria-label="New version">
      <Form
        isWide
        action={action}
        label="Save as the active version"
        submit={async ({ name = '', description = '', text = '' }) => {
          await call('createMySnippetVersion', { params: { snippet: id }, body: { name, description, text } });
          isOpen.value = false;
          reload();
        }}
      >
        <Field label="Name" name="name" autocomplete="off" value={activeVersion.name} />
        <LongField label="Description" name="description" rows={2} value={activeVersion.description} />
        <LongField label="Text" name="text" isCode required rows={10} value={activeVersion.text} />
      </Form>
      <button type="button" onClick={() => (isOpen.value = false)}>
        Leave it as it is
      </button>
    </section>
  );
}

function DeleteSnippet({ snippet: { id, activeVersion } }: { readonly snippet: MySnippet }) {
  const action = useAction();
  return (
    <>
      <h2>Delete</h2>
      <Failure error={action.error} />
      <ConfirmButton
        label="Delete the snippet"
        question={`Delete ${activeVersion.name} with all its versions?`}
        action={action}
        confirm={async () => {
          await call('deleteMySnippet', { params: { snippet: id } });
          navigate('/snippets');
        }}
      />
    </>
  );
}
