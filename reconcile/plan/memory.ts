import { createHash } from 'node:crypto';
import { canonicalJson, type DeclarableKind, type Snapshot } from '@rolecall/api';
import { naturalKeyOf } from '../kinds/registry.ts';
import { collectionOf } from '../model/claims.ts';
import { type Absent, type DesiredObject, label } from '../model/desired.ts';
import type { Declarations } from '../model/plan.ts';
import type { Judged, Note } from '../model/step.ts';
import { subjectOfKind, subjectOfMembership, subjects } from '../operations/subjects.ts';
import type { DeclaredSet, Fit } from '../view/owners.ts';
import type { Collection, View } from '../view/view.ts';

type Remembered = NonNullable<Snapshot['declared']>;

/** One object that a definition has, as the service remembers it. */
export type Declaration = Remembered['definitions'][number];

/** The subject that the object of a definition is, as the service names it. */
const subjectOf = (object: DesiredObject): DeclarableKind =>
  object.kind === 'RoleMembership' ? subjectOfMembership[object.member.kind] : subjectOfKind[object.kind];

const rowKey = ({ kind, id }: Pick<Declaration, 'kind' | 'id'>): string => `${kind} ${id}`;

/** The service's record of a set of definitions, beside what the set declares now. */
export class Memory {
  readonly #manager: string;
  readonly #remembered: Remembered;
  readonly #fit: Fit;
  /** The refusal of a run whose definitions come from elsewhere than those of the runs before. */
  readonly judged: readonly Judged[];
  /** The records of each definition, by its label. */
  readonly #rows: ReadonlyMap<string, readonly Declaration[]>;

  /** @param overrides tokens of the refusals that are overridden */
  constructor(manager: string, remembered: Remembered, set: DeclaredSet, overrides: ReadonlySet<string>) {
    this.#manager = manager;
    this.#remembered = remembered;
    const fit = set.fit(remembered.origin ?? undefined);
    const isMeant = fit.is !== 'whole' && overrides.has(fit.refusal.override ?? '');
    this.#fit = isMeant ? { is: 'whole', origin: fit.is === 'part' ? fit.whole : fit.origin } : fit;
    const isRefused = isMeant || (fit.is === 'elsewhere' && !set.isPreview);
    this.judged = isRefused ? [{ refusal: fit.refusal, holds: 'all' }] : [];
    this.#rows = Map.groupBy(remembered.definitions, ({ definition }) => definition);
  }

  /**
   * Gives each definition the id of what it has, where it declares none: then another name is a change of name. One that has several
   * objects, since a run was cut off, means the one with the declared name.
   */
  async recall(objects: readonly DesiredObject[], view: View): Promise<readonly DesiredObject[]> {
    if (this.#rows.size === 0) return objects;
    const recalled = new Map<DesiredObject, string>();
    const owners = new Map<string, DesiredObject>();
    for (const object of objects) {
      const collection = collectionOf[object.kind];
      const rows = this.#rowsOf(object);
      if (rows.length === 0 || object.id !== undefined || collection === undefined) continue;
      const { byId, byKey }: Collection<{ id: string }> = await view[collection]();
      const currentRows = rows.filter(({ id }) => byId.has(id));
      const named = currentRows.find(({ id }) =>
        byKey.get(naturalKeyOf(object))?.some((candidate) => candidate.id === id),
      );
      const [{ id } = { id: undefined }] = named === undefined ? currentRows : [named];
      if (id === undefined) continue;
      const twin = owners.get(`${object.kind} ${id}`);
      // A definition and its copy under another name: the object is that of the one which declares its name.
      if (twin !== undefined && named === undefined) continue;
      if (twin !== undefined) recalled.delete(twin);
      owners.set(`${object.kind} ${id}`, object);
      recalled.set(object, id);
    }
    return objects.map((object) => {
      const id = recalled.get(object);
      return id === undefined ? object : { ...object, id };
    });
  }

  /**
   * Lists the objects that go unless a definition means them still: all that was declared once, but not what is to be kept, what another set
   * declares too, and what a definition has that is held back.
   */
  absent(objects: readonly DesiredObject[]): readonly Absent[] {
    if (this.#fit.is === 'part') return [];
    const held = new Set(objects.flatMap((object) => (object.paused || object.observeOnly ? [label(object)] : [])));
    const declared = new Set(objects.map(label));
    return this.#remembered.definitions.flatMap((row) =>
      row.isKept || row.isShared || held.has(row.definition) ? [] : absentOf(row, declared.has(row.definition)),
    );
  }

  /**
   * Lists the changes to the service's record, beside what each call tells it.
   *
   * @param claims ids of what definitions mean, by their labels
   */
  declarations(objects: readonly DesiredObject[], claims: ReadonlyMap<string, readonly string[]>): Declarations {
    const kept = objects.filter(({ orphaned }) => orphaned === true).map(label);
    const base = { manager: this.#manager, basis: basisOf(this.#remembered), kept };
    if (this.#fit.is === 'elsewhere') {
      const { message, remedy } = this.#fit.refusal;
      return { ...base, unfit: `${message}; ${remedy}`, declared: [], forgotten: [] };
    }
    const declared = objects.flatMap((object) => this.#unremembered(object, claims.get(label(object)) ?? []));
    const forgotten = this.#fit.is === 'part' ? [] : this.#forgotten(objects, claims);
    const { origin } = this.#fit;
    return { ...base, ...(origin === undefined ? {} : { origin }), declared, forgotten };
  }

  /** Notes for a reviewer. @param objects all that is declared */
  notes({ declared, forgotten, unfit }: Declarations, objects: readonly DesiredObject[]): Note[] {
    const object = this.#manager;
    if (this.#fit.is === 'elsewhere') {
      const { override = '' } = this.#fit.refusal;
      const note = { object, message: `an apply from here would be refused: ${unfit ?? ''} (${override})` };
      return this.judged.length > 0 ? [] : [note];
    }
    const rows = new Set(this.#remembered.definitions.map(rowKey));
    const adopted = new Set(declared.map(rowKey).filter((key) => !rows.has(key)));
    const message = `takes over ${adopted.size === 1 ? 'an object' : `${adopted.size} objects`} of the workspace: each goes once its definition is deleted`;
    const byKey = new Map(this.#remembered.definitions.map((row) => [`${rowKey(row)} ${row.definition}`, row]));
    const left = forgotten.flatMap((row) => {
      const { isKept = false, isShared = false } = byKey.get(`${rowKey(row)} ${row.definition}`) ?? {};
      if (isShared) return [{ object: row.definition, message: 'stays: another set of definitions declares it, too' }];
      return isKept ? [{ object: row.definition, message: 'stays, as its deletionPolicy was Orphan' }] : [];
    });
    return [...(adopted.size === 0 ? [] : [{ object, message }]), ...left, ...this.#noteOutside(objects)];
  }

  /** A run of some files removes nothing, which someone who deleted a definition from one of them should know. */
  #noteOutside(objects: readonly DesiredObject[]): Note[] {
    if (this.#fit.is !== 'part') return [];
    const declared = new Set(objects.map(label));
    const outside = new Set(this.#rows.keys()).difference(declared);
    if (outside.size === 0) return [];
    const message = `has ${outside.size} more ${outside.size === 1 ? 'definition' : 'definitions'}, as far as the service knows, and these are a part of it: what is deleted stays until a run of all of them, or until you say once that these are all (--override ${this.#fit.refusal.override ?? ''})`;
    return [{ object: this.#manager, message }];
  }

  #rowsOf(object: DesiredObject): readonly Declaration[] {
    const kind = subjectOf(object);
    return this.#rows.get(label(object))?.filter((row) => row.kind === kind) ?? [];
  }

  /** Lists the objects of a definition that the service does not remember so. An object that is only observed is nobody's to remove. */
  #unremembered(object: DesiredObject, ids: readonly string[]): Declarations['declared'] {
    const [id] = ids;
    if (id === undefined || object.paused || object.observeOnly) return [];
    const isKept = object.orphaned === true;
    const record = this.#rowsOf(object).find((row) => row.id === id);
    if (record?.isKept === isKept) return [];
    return [{ kind: subjectOf(object), id, definition: label(object), isKept }];
  }

  /** Lists the records of definitions that are gone or only observe, where no step of the run removes the object. */
  #forgotten(
    objects: readonly DesiredObject[],
    claims: ReadonlyMap<string, readonly string[]>,
  ): Declarations['forgotten'] {
    const byLabel = new Map(objects.map((object) => [label(object), object]));
    const claimed = new Set(
      objects.flatMap(
        (object) => claims.get(label(object))?.map((id) => rowKey({ kind: subjectOf(object), id })) ?? [],
      ),
    );
    return this.#remembered.definitions.flatMap((row) => {
      const { kind, id, definition, isKept, isShared } = row;
      const object = byLabel.get(definition);
      const isLeft = isKept || isShared || claimed.has(rowKey(row));
      const isForgotten = object === undefined ? isLeft : object.observeOnly;
      return isForgotten ? [{ kind, id, definition }] : [];
    });
  }
}

/** Stands for all that is remembered of a set: another run of it in between makes another plan. */
export function basisOf(remembered: Snapshot['declared']): string {
  return createHash('sha256')
    .update(canonicalJson(remembered ?? null, 'unordered'))
    .digest('hex')
    .slice(0, 16);
}

function absentOf({ kind, id, definition }: Declaration, isReplaced: boolean): Absent {
  const name = definition.slice(definition.indexOf('/') + 1);
  const subject = subjects[kind];
  if (subject.kind !== 'RoleMembership') return { kind: subject.kind, name, isReplaced, id };
  const [role = '', memberId = ''] = id.split('/');
  return { kind: subject.kind, name, isReplaced, role, member: { kind: subject.member, id: memberId } };
}
