import type { ListedSnippetVersion, MySnippet } from '@rolecall/api';
import { useAction } from '../../browser/use-action.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { call } from '../../person-client.ts';

interface VersionListProps {
  readonly snippet: MySnippet;
  readonly versions: readonly ListedSnippetVersion[];
  readonly mayWrite: boolean;
  readonly reload: () => void;
}

/** The versions of a snippet, the newest first. Each can be compared with the active one, and take its place. */
export function VersionList({ snippet: { id, activeVersion }, versions, mayWrite, reload }: VersionListProps) {
  const action = useAction();
  const place = `/snippets/${encodeURIComponent(id)}`;
  return (
    <>
      <h2>Versions</h2>
      <Failure error={action.error} />
      <ul class="lines">
        {versions
          .toSorted((version, other) => other.createdAt.localeCompare(version.createdAt))
          .map((version) => (
            <li key={version.id} class="row">
              <div>
                <a href={version.id === activeVersion.id ? place : `${place}/${encodeURIComponent(version.id)}`}>
                  {version.name}
                </a>{' '}
                {version.id === activeVersion.id && <span class="badge">active</span>}
                <div class="quiet">
                  <Moment at={version.createdAt} />
                  {version.createdBy !== null && <>, by {version.createdBy.name}</>}
                </div>
              </div>
              {mayWrite && version.id !== activeVersion.id && (
                <ActionButton
                  action={action}
                  work={async () => {
                    await call('activateMySnippetVersion', { params: { snippet: id, snippetVersion: version.id } });
                    reload();
                  }}
                >
                  Make it the active one
                </ActionButton>
              )}
            </li>
          ))}
      </ul>
    </>
  );
}
