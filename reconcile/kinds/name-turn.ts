import type { DesiredObject } from '../model/desired.ts';
import { type Refusal, stepId } from '../model/step.ts';
import type { StepOperation } from '../model/step-names.ts';
import type { Collection } from '../view/view.ts';
import type { Referable } from './naming.ts';
import type { Scope } from './scope.ts';

/** The names of a kind that the service has once each: the username and e-mail address of a person, the alias of a data source, the name of a role. */
export interface UniqueNames<D extends DesiredObject, T extends { id: string }, F extends string> {
  readonly kind: Referable;
  readonly update: StepOperation;
  readonly removal: StepOperation;
  /** The natural key comes first. */
  readonly fields: readonly [F, ...F[]];
  /** The name that a definition declares, as the service compares it. */
  readonly declared: (desired: D, field: F) => string;
  /** The name that an object has, as the service compares it; undefined if it has none. */
  readonly current: (object: T, field: F) => string | undefined;
  /** Objects by one of their names. */
  readonly index: (field: F) => Collection<T>['byKey'];
  readonly refuse: (desired: D, field: F, holder: T) => Refusal;
}

/** One call that gives an object some of its names, and its turn. */
export interface NameTurn<F extends string> {
  readonly fields: readonly F[];
  readonly id: string;
  /** The steps that free the names; none where no other object has them. */
  readonly after: readonly string[];
  /** The name that the object gives up before the call, by a call of its own: one of those that exchange names in a circle does. */
  readonly frees?: { readonly field: F; readonly id: string };
}

export interface NameTurns<F extends string> {
  readonly turns: readonly NameTurn<F>[];
  /** Other objects have a name, and keep it. */
  readonly refusals: readonly Refusal[];
}

/** A definition, and the object that it means. */
interface Owned<D, T> {
  readonly desired: D;
  readonly object: T | undefined;
}

/** A name that a definition is to take from the object of another one, which gives it up. */
interface Handover<D, T, F> {
  readonly field: F;
  readonly giver: Owned<D, T>;
}

/**
 * Finds when an object may take the names that it has not got yet. An object takes all of them in one call, unless two others
 * have two of them: then the calls can wait for one another in a circle only by one name, which one object of the circle gives up first.
 *
 * @param object the one that the definition means; undefined if it is yet to be made
 */
export function findNameTurns<D extends DesiredObject, T extends { id: string }, F extends string>(
  desired: D,
  object: T | undefined,
  names: UniqueNames<D, T, F>,
  scope: Pick<Scope, 'ownerOf' | 'isRemovable'>,
): NameTurns<F> {
  return new Names(names, scope).turnsOf({ desired, object });
}

class Names<D extends DesiredObject, T extends { id: string }, F extends string> {
  readonly #names: UniqueNames<D, T, F>;
  readonly #scope: Pick<Scope, 'ownerOf' | 'isRemovable'>;

  constructor(names: UniqueNames<D, T, F>, scope: Pick<Scope, 'ownerOf' | 'isRemovable'>) {
    this.#names = names;
    this.#scope = scope;
  }

  turnsOf(owned: Owned<D, T>): NameTurns<F> {
    const { fields, refuse, removal } = this.#names;
    const [refusals, removals]: [Refusal[], string[]] = [[], []];
    for (const field of fields) {
      const holder = this.#holderOf(owned, field);
      if (holder === undefined || this.#giverOf(owned, field) !== undefined) continue;
      const owner = this.#ownerOf(holder);
      if (owner === undefined && this.#scope.isRemovable(this.#names.kind, holder.id)) {
        removals.push(stepId(removal, holder.id));
      } else if (field !== fields[0] || owner === undefined || !this.#isTwin(owner, owned, field)) {
        refusals.push(refuse(owned.desired, field, holder));
      }
    }
    const parts = this.#isSplit(owned) ? fields.map((field) => [field]) : [[...fields]];
    return { turns: parts.map((part) => this.#turn(owned, part, removals)), refusals };
  }

  #turn(owned: Owned<D, T>, fields: F[], removals: readonly string[]): NameTurn<F> {
    const id = this.#updateId(owned, fields[0]);
    const handover = this.#handovers(owned).find(({ field }) => fields.includes(field));
    if (handover === undefined) return { fields, id, after: removals };
    const circle = this.#circle(id, handover);
    const first = circle && [id, ...circle.ids].reduce((least, other) => (other < least ? other : least));
    const giver = this.#updateId(handover.giver, handover.field);
    const after = [...removals, first === giver ? this.#freeingId(handover.giver, handover.field) : giver];
    if (circle === undefined || first !== id) return { fields, id, after };
    return { fields, id, after, frees: { field: circle.field, id: this.#freeingId(owned, circle.field) } };
  }

  /** Follows who waits for whom. @returns the ids of the calls up to the one that waits for this one, and the name that it waits for */
  #circle(id: string, handover: Handover<D, T, F>): { ids: string[]; field: F } | undefined {
    const ids: string[] = [];
    for (let { field, giver } = handover; ; ) {
      const giving = this.#updateId(giver, field);
      if (giving === id) return { ids, field };
      // Two that declare one name, which is refused later, may lead into a circle that neither is in.
      if (ids.includes(giving)) return undefined;
      ids.push(giving);
      const next = this.#handovers(giver);
      const handed = this.#isSplit(giver) ? next.find((candidate) => candidate.field === field) : next[0];
      if (handed === undefined) return undefined;
      ({ field, giver } = handed);
    }
  }

  #handovers(owned: Owned<D, T>): Handover<D, T, F>[] {
    return this.#names.fields.flatMap((field) => {
      const giver = this.#giverOf(owned, field);
      return giver === undefined ? [] : [{ field, giver }];
    });
  }

  #isSplit(owned: Owned<D, T>): boolean {
    return this.#handovers(owned).length > 1;
  }

  /** Another object that has the name which a definition declares. */
  #holderOf({ desired, object }: Owned<D, T>, field: F): T | undefined {
    const { declared, current, index } = this.#names;
    const name = declared(desired, field);
    if (object !== undefined && current(object, field) === name) return undefined;
    return index(field)
      .get(name)
      ?.findLast(({ id }) => id !== object?.id);
  }

  /** The definition that gives the name up, with the object that has it. */
  #giverOf(owned: Owned<D, T>, field: F): Owned<D, T> | undefined {
    const object = this.#holderOf(owned, field);
    const desired = object && this.#ownerOf(object);
    if (object === undefined || desired === undefined || desired.paused || desired.observeOnly) return undefined;
    return this.#names.declared(desired, field) === this.#names.current(object, field)
      ? undefined
      : { desired, object };
  }

  #ownerOf(object: T): D | undefined {
    const { kind, current, fields } = this.#names;
    // It looks among the definitions of this kind.
    return this.#scope.ownerOf(kind, object.id, current(object, fields[0])) as D | undefined;
  }

  #isTwin(owner: D, { desired }: Owned<D, T>, field: F): boolean {
    return this.#names.declared(owner, field) === this.#names.declared(desired, field);
  }

  #updateId(owned: Owned<D, T>, field: F | undefined): string {
    const { update, declared, fields } = this.#names;
    const key = declared(owned.desired, fields[0]);
    return field !== undefined && this.#isSplit(owned) ? stepId(update, key, field) : stepId(update, key);
  }

  #freeingId({ desired }: Owned<D, T>, field: F): string {
    const { update, declared, fields } = this.#names;
    return stepId(update, declared(desired, fields[0]), `free ${field}`);
  }
}
