import type { ListedSnippet, Permission, RolePerson } from '@rolecall/api';
import type { Scope } from '../kinds/scope.ts';
import type { Claimed } from '../model/claims.ts';
import { label } from '../model/desired.ts';
import { snippetNameKey } from '../model/keys.ts';
import { idOf, type Judged, listUpTo, type Note, type Refusal, type Step } from '../model/step.ts';
import { does, isJoining, operationOf, subjectId } from '../operations/table.ts';
import type { View } from '../view/view.ts';

/** The objects that go with one object that is removed, without a call of their own. */
export interface Cascade {
  step: Step;
  permissions: readonly Permission[];
  /** People who leave a role that goes and are put into no other by the same plan. */
  members: readonly RolePerson[];
  /** Snippets that have no owner afterwards. */
  orphans: readonly ListedSnippet[];
}

/**
 * Finds what falls with the people, data sources and roles that a plan removes: the service takes it along silently, and
 * a reviewer would not see it in the calls. Reads permissions and snippets only where something is removed.
 */
export async function findCascade(steps: readonly Step[], claimed: Claimed, view: View): Promise<Cascade[]> {
  const removals = steps.flatMap((step) => {
    const { along } = operationOf(step);
    return step.effect === 'remove' && along !== undefined ? [{ step, along }] : [];
  });
  if (removals.length === 0) return [];
  const [permissions, snippets] = await Promise.all([view.permissions(), view.snippets()]);
  const placed = new Set(steps.filter(isJoining).map(({ params }) => idOf(params.person)));
  const deleted = new Set(steps.filter((step) => does(step, 'delete', 'snippet')).map(subjectId));
  // A permission falls once, though both its person and its data source may go.
  const counted = new Set<string>();
  return Promise.all(
    removals.map(async ({ step, along: { permissions: end, members: hasMembers, snippets: owner } }) => {
      const gone = subjectId(step);
      const fallen =
        end === undefined
          ? []
          : permissions.all.filter((permission) => !counted.has(permission.id) && permission[end].id === gone);
      for (const { id } of fallen) counted.add(id);
      const members = hasMembers === true ? (await view.rolePeople(gone)).all : [];
      return {
        step,
        permissions: fallen,
        members: members.filter(({ id }) => !placed.has(id)),
        orphans: snippets.all.filter(
          (snippet) =>
            owner !== undefined &&
            snippet[owner]?.id === gone &&
            !deleted.has(snippet.id) &&
            !claimed.snippets.has(snippet.id),
        ),
      };
    }),
  );
}

/** Says what goes along, so that it can be reviewed. */
export function cascadeNotes(cascade: readonly Cascade[]): Note[] {
  return cascade.flatMap(({ step, permissions, members, orphans }) => {
    const parts = [
      ...part(
        permissions.length,
        'permission',
        permissions.map(({ person, dataSource }) => `${person.username} on ${dataSource.alias ?? dataSource.name}`),
      ),
      ...part(
        members.length,
        'member',
        members.map(({ username }) => username),
      ),
    ];
    const lost = parts.length === 0 ? [] : [`takes along ${parts.join(' and ')}`];
    const left = part(
      orphans.length,
      'snippet',
      orphans.map(({ activeVersion }) => activeVersion.name),
    );
    const ownerless = left.length === 0 ? [] : [`leaves without an owner ${left.join('')}`];
    const message = [...lost, ...ownerless].join('; ');
    return message === '' ? [] : [{ object: label(step.object), message }];
  });
}

/** Refuses to leave a snippet without an owner where an ownerless one of the same name is declared: the two would be one. */
export function refuseAmbiguousOrphans(cascade: readonly Cascade[], scope: Scope): Judged[] {
  const declared = new Map(
    scope
      .desired('Snippet')
      .filter(({ owner }) => owner === undefined)
      .map((snippet) => [snippetNameKey(snippet.snippet), snippet] as const),
  );
  return cascade.flatMap(({ step, orphans }) =>
    orphans.flatMap(({ id, activeVersion }): Judged[] => {
      const snippet = declared.get(snippetNameKey(activeVersion.name));
      if (snippet === undefined) return [];
      const refusal: Refusal = {
        rail: 'ambiguous',
        objects: [label(snippet), label(step.object)],
        message: `${label(step.object)} goes and leaves its snippet ${activeVersion.name} (id ${id}) without an owner, where it could not be told from ${label(snippet)}`,
        remedy: 'delete or rename that snippet first, or declare snippets exact',
      };
      // A person is locked all the same: that ends what they reach, and leaves the snippet its owner.
      return [{ refusal, holds: [step.id] }];
    }),
  );
}

const mostNamed = 10;

function part(count: number, word: string, names: readonly string[]): string[] {
  if (count === 0) return [];
  return [`${count} ${word}${count === 1 ? '' : 's'} (${listUpTo(mostNamed, names)})`];
}
