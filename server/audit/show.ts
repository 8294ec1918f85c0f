import type {
  DataSource,
  Editor,
  EditorMessage,
  MembershipWindow,
  PermissionWindow,
  Person,
  Role,
  Snippet,
  SnippetVersion,
} from '@rolecall/api';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { KeyRecord } from '../store/api-key.ts';
import type { Shown } from './change.ts';
import type { TextDigest } from './entry.ts';

/** Forms in which the audit trail shows each kind of object. Texts that may hold anything come in as digests. */

export function digestText(text: string, digest: KeyedDigest): TextDigest {
  return { characters: text.length, digest: digest.text(text) };
}

export function showPerson({ id, ...fields }: Person): Shown {
  return { kind: 'person', id, name: fields.username, fields };
}

export function showRole({ id, ...fields }: Role): Shown {
  return { kind: 'role', id, name: fields.name, fields };
}

/** Its connection URI as lists show it; `secrets` says whether the rest of it, with the password, changed. */
export function showDataSource({ id, name, alias, type, configUri, createdAt, updatedAt }: DataSource): Shown {
  const fields = { name, alias, type, configUri, createdAt, updatedAt };
  return { kind: 'data_source', id, name: alias ?? name, fields };
}

/** @param member a person or a data source */
export function showMembership(
  kind: 'role_person' | 'role_data_source',
  {
    role,
    member,
    assignedAt,
    windows = [],
  }: { role: string; member: string; assignedAt: string; windows?: readonly MembershipWindow[] },
): Shown {
  const times: Shown['fields'] = windows.length === 0 ? {} : { windows: windows.map((window) => ({ ...window })) };
  const fields: Shown['fields'] =
    kind === 'role_person' ? { role, person: member, assignedAt, ...times } : { role, dataSource: member, assignedAt };
  return { kind, id: `${role}/${member}`, fields };
}

export function showPermission({ id, personId, dataSourceId, startsAt, expiresAt }: PermissionWindow): Shown {
  return { kind: 'permission', id, fields: { person: personId, dataSource: dataSourceId, startsAt, expiresAt } };
}

interface DescribedSnippet extends Omit<Snippet, 'activeVersion'> {
  readonly activeVersion: Pick<Snippet['activeVersion'], 'id' | 'name'>;
}

/** @param snippet its description and text are not shown */
export function showSnippet({ id, activeVersion, ownerPerson, ownerRole, ...rest }: DescribedSnippet): Shown {
  const { isLocked, publicAccessLevel, createdAt, updatedAt } = rest;
  const owner = { ownerPerson: ownerPerson?.id ?? null, ownerRole: ownerRole?.id ?? null };
  const fields = { activeVersion: activeVersion.id, isLocked, publicAccessLevel, ...owner, createdAt, updatedAt };
  return { kind: 'snippet', id, name: activeVersion.name, fields };
}

export function showVersion(
  version: Omit<SnippetVersion, 'createdBy'> & { createdBy: string | null },
  digest: KeyedDigest,
): Shown {
  const { id, snippetId, name, createdBy, createdAt } = version;
  const texts = { description: digestText(version.description, digest), text: digestText(version.text, digest) };
  return { kind: 'snippet_version', id, name, fields: { snippet: snippetId, name, ...texts, createdBy, createdAt } };
}

/** The identifiers of the two that an editor belongs to. */
type EditorOf = { person: string; dataSource: string };

export function showEditor({ id, ...fields }: Pick<Editor, 'id' | 'createdAt' | 'updatedAt'> & EditorOf): Shown {
  return { kind: 'editor', id, fields };
}

export function showMessage({ id, editorId, title, message, createdAt }: EditorMessage, digest: KeyedDigest): Shown {
  const fields = { editor: editorId, title, message: digestText(message, digest), createdAt };
  return { kind: 'editor_message', id, name: title, fields };
}

/** Characters of the commands of a query that an entry shows, so that it stays small. */
const mostStatementText = 16_384;

interface NewQuery {
  readonly id: string;
  readonly dataSource: string;
  readonly createdAt: string;
  readonly parameters?: Readonly<Record<string, string | null>>;
}

/** @param withText shows how the commands begin, and the values of their parameters, up to 16,384 characters in all, beside a digest of each */
export function showQuery(
  { id, dataSource, createdAt, parameters = {} }: NewQuery,
  commands: readonly string[],
  { digest, withText }: { digest: KeyedDigest; withText: boolean },
): Shown {
  let left = withText ? mostStatementText : 0;
  const show = (whole: string): TextDigest => {
    const statementDigest = digestStatement(whole, digest, left);
    left -= statementDigest.text?.length ?? 0;
    return statementDigest;
  };
  const fields = { dataSource, commands: commands.map(show), createdAt };
  const values = Object.entries(parameters).map(([name, value]) => ({ name, ...(value === null ? {} : show(value)) }));
  return { kind: 'query', id, fields: values.length === 0 ? fields : { ...fields, parameters: values } };
}

/** @param most how many characters of its text are shown */
export function digestStatement(text: string, digest: KeyedDigest, most = mostStatementText): TextDigest {
  const shown = beginningOf(text, most);
  return { ...digestText(text, digest), ...(shown === '' ? {} : { text: shown }) };
}

/** Cuts between characters: half of a surrogate pair is no text. Copies, since a slice would keep the whole text in memory. */
function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const isPair = most > 0 && (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return Buffer.from(text.slice(0, isPair ? most - 1 : most)).toString();
}

export function showKey({ id, ...fields }: KeyRecord): Shown {
  return { kind: 'api_key', id, ...(fields.name === null ? {} : { name: fields.name }), fields };
}
