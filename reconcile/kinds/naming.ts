import type { DesiredObject, KindName, ObjectReference } from '../model/desired.ts';
import { dataSourceKey, personKey, roleKey } from '../model/keys.ts';
import { referenceName } from '../model/step.ts';
import type { Collection } from '../view/view.ts';

export type Referable = ObjectReference['kind'];

/** The natural key of what a reference names. */
export const foldKey = { Person: personKey, Role: roleKey, DataSource: dataSourceKey } as const;

/** Which definition declares a name, which one remembers an object on the server, and what a reference therefore means. */
export class Naming {
  readonly #objects: readonly DesiredObject[];
  readonly #replaced: ReadonlySet<string>;
  #makers: ReadonlyMap<string, DesiredObject> | undefined;
  #byId: ReadonlyMap<KindName, ReadonlyMap<string, DesiredObject>> | undefined;

  /** @param replaced keys of the usernames of people whom the plan replaces */
  constructor(objects: readonly DesiredObject[], replaced: ReadonlySet<string> = new Set()) {
    this.#objects = objects;
    this.#replaced = replaced;
  }

  /** The definition that declares a name. */
  maker(kind: Referable, key: string): DesiredObject | undefined {
    this.#makers ??= indexMakers(this.#objects);
    return this.#makers.get(referenceName(kind, key));
  }

  /** The definition that remembers an object on the server as its own. */
  readonly rememberedBy = (kind: KindName, id: string): DesiredObject | undefined => {
    this.#byId ??= indexIds(this.#objects);
    return this.#byId.get(kind)?.get(id);
  };

  /** The id of the object on the server that a reference means by its natural key. */
  meant(
    { byId, byKey }: Pick<Collection<{ id: string }>, 'byId' | 'byKey'>,
    kind: Referable,
    key: string,
  ): string | undefined {
    const holder = byKey.get(key)?.[0]?.id;
    const maker = this.maker(kind, key);
    const remembered = maker?.id !== undefined && byId.has(maker.id) ? maker.id : undefined;
    if (holder !== undefined && !this.#isForAnother(holder, maker, remembered)) return holder;
    // A data source that gets another alias stays the same one, and so does a person who is held back: no step makes it. Were the
    // person nowhere, an exact collection would take all that they have.
    const isHeldPerson = maker?.kind === 'Person' && (maker.paused || maker.observeOnly);
    return kind === 'DataSource' || isHeldPerson ? remembered : undefined;
  }

  /** Whether a definition wants the name for another object than the one that has it now. Else its grants would go to a stranger. */
  #isForAnother(holder: string, maker: DesiredObject | undefined, remembered: string | undefined): boolean {
    // A role that is there under the new name is taken over.
    if (maker === undefined || maker.kind === 'Role') return false;
    const owner = this.rememberedBy(maker.kind, holder);
    if (owner !== undefined) return owner !== maker;
    return remembered !== undefined || (maker.kind === 'Person' && this.#replaced.has(personKey(maker.username)));
  }
}

function indexIds(objects: readonly DesiredObject[]): Map<KindName, Map<string, DesiredObject>> {
  const byKind = new Map<KindName, Map<string, DesiredObject>>();
  for (const object of objects) {
    if (object.id === undefined) continue;
    const own = byKind.get(object.kind) ?? new Map<string, DesiredObject>();
    byKind.set(object.kind, own.set(object.id, object));
  }
  return byKind;
}

/** The objects that others refer to, by the names under which steps do. */
function indexMakers(objects: readonly DesiredObject[]): Map<string, DesiredObject> {
  const makers = new Map<string, DesiredObject>();
  for (const object of objects) {
    if (object.kind === 'Person') makers.set(referenceName('Person', personKey(object.username)), object);
    else if (object.kind === 'Role') makers.set(referenceName('Role', roleKey(object.role)), object);
    else if (object.kind === 'DataSource') makers.set(referenceName('DataSource', dataSourceKey(object.alias)), object);
  }
  return makers;
}
