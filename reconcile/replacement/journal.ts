import { accessLevels, type ListedSnippet } from '@rolecall/api';
import { z } from 'zod';

/**
 * A journal of a person's replacement: a snippet in the workspace that lists what falls with the old person and is to be
 * made again. Only the running plan would know that otherwise, and a run may be killed. It is written before the person is
 * touched and deleted when all is there again; a run that finds one finishes it.
 */

const named = z.strictObject({ id: z.string(), name: z.string() });

const content = z.strictObject({
  version: z.literal(1),
  /** Who is replaced, under the identifier that ends with them. */
  person: z.strictObject({ id: z.string(), username: z.string() }),
  /** The username of the new person. */
  becomes: z.string(),
  roles: z.array(named),
  permissions: z.array(
    z.strictObject({ id: z.string(), dataSource: named, startsAt: z.iso.datetime(), expiresAt: z.iso.datetime() }),
  ),
  snippets: z.array(z.strictObject({ id: z.string(), name: z.string(), publicAccessLevel: z.enum(accessLevels) })),
});

export type JournalContent = z.output<typeof content>;

/** What falls with a person, of which a journal has all or a part. */
export type Fallen = Pick<JournalContent, 'roles' | 'permissions' | 'snippets'>;

/** A journal that lies in the workspace. */
export interface Journal {
  snippet: ListedSnippet;
  content: JournalContent;
}

/** How many entries one journal has at most: the text of a snippet has 200,000 characters at most. */
const mostEntries = 300;

/** Divides what falls over as many journals as it takes, each complete by itself. */
export function divideFallen({ roles, permissions, snippets }: Fallen): Fallen[] {
  const entries = [
    ...roles.map((role) => ({ role })),
    ...permissions.map((permission) => ({ permission })),
    ...snippets.map((snippet) => ({ snippet })),
  ];
  const parts: Fallen[] = [];
  for (let start = 0; start < entries.length; start += mostEntries) {
    const part = entries.slice(start, start + mostEntries);
    parts.push({
      roles: part.flatMap((entry) => ('role' in entry ? [entry.role] : [])),
      permissions: part.flatMap((entry) => ('permission' in entry ? [entry.permission] : [])),
      snippets: part.flatMap((entry) => ('snippet' in entry ? [entry.snippet] : [])),
    });
  }
  return parts;
}

/** What the service is sent to make a journal. It is locked and nobody's, so that nobody finds it among the snippets. */
export function journalBody(journal: JournalContent) {
  const { username } = journal.person;
  return {
    name: `Rolecall is replacing ${Array.from(username).slice(0, 150).join('')}: do not delete`,
    description: 'What falls with a person who is deleted and created again, until all of it is there again.',
    text: journalText(journal),
    isLocked: true,
    publicAccessLevel: 'none',
    owner: 'none',
    ownerPersonId: null,
    ownerRoleId: null,
  } as const;
}

/** Comments only, so that running it does nothing. */
export function journalText(journal: JournalContent): string {
  return [
    '-- Rolecall wrote this before it deleted a person to create them again, and deletes it when all is there again.',
    '-- If it is still here, that run was interrupted: the next run that declares the person makes again what is listed.',
    `${mark}${JSON.stringify(journal)}`,
  ].join('\n');
}

/** The journal that a snippet is; undefined for every other one. */
export function readJournal(snippet: ListedSnippet): Journal | undefined {
  const { isLocked, publicAccessLevel, ownerPerson, ownerRole, activeVersion } = snippet;
  if (!isLocked || publicAccessLevel !== 'none' || ownerPerson !== null || ownerRole !== null) return undefined;
  const line = activeVersion.text.split('\n').find((text) => text.startsWith(mark));
  if (line === undefined) return undefined;
  const read = content.safeParse(parse(line.slice(mark.length)));
  return read.success ? { snippet, content: read.data } : undefined;
}

const mark = '-- rolecall-journal: ';

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
