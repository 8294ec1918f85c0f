import type { DesiredObject, KindName, ObjectReference } from '../model/desired.ts';
import { dataSourceKey, personKey, roleKey } from '../model/keys.ts';
import { referenceName } from '../model/step.ts';
import type { Collection } from '../view/view.ts';

export type Referable = ObjectReference['kind'];

/** The natural key of what a reference names. */
export const foldKey = { Person: personKey, Role: roleKey, DataSource: dataSourceKey } as const;

/** Resolves references: knows which definition declares a name and which one remembers an object on the server. */
export class Naming {
  readonly #objects: readonly DesiredObject[];
  #makers: ReadonlyMap<string, DesiredObject> | undefined;
  #byId: ReadonlyMap<KindName, ReadonlyMap<string, DesiredObject>> | undefined;

  constructor(objects: readonly DesiredObject[]) {
    this.#objects = objects;
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
    const maker = this.maker(kind, key);
    // What gets another name stays the same object.
    if (maker?.id !== undefined && byId.has(maker.id)) return maker.id;
    const holder = byKey.get(key)?.[0]?.id;
    const owner = holder === undefined ? undefined : this.rememberedBy(kind, holder);
    // Another definition's object gives the name up: its grants would go to a stranger.
    return owner === undefined || owner === maker ? holder : undefined;
  }

  /** The definition that means an object on the server: the one that remembers it, else the one that declares its natural key and remembers no other. */
  readonly ownerOf = (
    { byId }: Pick<Collection<{ id: string }>, 'byId'>,
    kind: Referable,
    id: string,
    key: string | undefined,
  ): DesiredObject | undefined => {
    const owner = this.rememberedBy(kind, id);
    if (owner !== undefined || key === undefined) return owner;
    const maker = this.maker(kind, key);
    return maker?.id !== undefined && byId.has(maker.id) ? undefined : maker;
  };
}

function indexIds(objects: readonly DesiredObject[]): Map<KindName, Map<string, DesiredObject>> {
  const byKind = new Map<KindName, Map<string, DesiredObject>>();
  for (const object of objects) {
    if (object.id === undefined) continue;
    const byId = byKind.get(object.kind) ?? new Map<string, DesiredObject>();
    byKind.set(object.kind, byId.set(object.id, object));
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
