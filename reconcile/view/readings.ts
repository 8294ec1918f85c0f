import type { KnownAnswer, OperationId, RequestOf } from '@rolecall/api';
import {
  asRead,
  indexDataSources,
  indexPeople,
  indexPermissions,
  indexRoleDataSources,
  indexRolePeople,
  indexRoles,
  indexSnippets,
} from './collection.ts';
import type { SnapshotLists } from './snapshot-lists.ts';
import type { SnapshotReader } from './snapshot-reader.ts';
import type { Caller } from './view.ts';

/** A reading as the service answered it, with the ETag that asks whether it would answer the same again. */
interface KnownReading extends KnownAnswer<unknown> {
  /** In order; absent where something was taken into it since. */
  readonly indexed: unknown;
}

/** Functions that put the answer to a reading in order; other answers stay as they are. Each name is used with one type only. */
const indexes: Readonly<Record<string, (answer: never) => unknown>> = {
  people: indexPeople,
  roles: indexRoles,
  dataSources: indexDataSources,
  permissions: indexPermissions,
  snippets: indexSnippets,
  rolePeople: indexRolePeople,
  roleDataSources: indexRoleDataSources,
};

/** All readings of one view, by name: each is read once, from the snapshot where there is one. */
export class Readings {
  readonly #client: Caller;
  readonly #snapshot: SnapshotReader;
  /** The service's answers to the view before, by name; each is forgotten as it is answered again. */
  readonly #previousAnswers: Map<string, KnownReading>;
  /** Every reading that was begun, by name. */
  readonly #pending = new Map<string, Promise<unknown>>();
  /** The answers as they came. */
  readonly #raw = new Map<string, unknown>();
  /** The answers in order. */
  readonly #indexed = new Map<string, unknown>();
  /** Readings into which a run's own changes were taken. */
  readonly #taken = new Set<string>();
  readonly #tags = new Map<string, string>();
  /** The readings that were asked for: a snapshot has more. */
  readonly #asked = new Set<string>();
  /** Readings that were dropped, for which a snapshot is out of date. */
  readonly #dropped = new Set<string>();

  constructor(client: Caller, snapshot: SnapshotReader, previousAnswers: Map<string, KnownReading>) {
    this.#client = client;
    this.#snapshot = snapshot;
    this.#previousAnswers = previousAnswers;
  }

  /** Shares one reading among all who ask; a failed one is forgotten, so that it is tried again by the next who asks. */
  once<T>(name: string, read: () => Promise<unknown>): Promise<T> {
    this.#asked.add(name);
    const underWay = this.#pending.get(name);
    // The name says which reading it is, and each name is used with one type only, by the view.
    if (underWay !== undefined) return underWay as Promise<T>;
    const reading: Promise<unknown> = this.#value(name, read, () => this.#pending.get(name) === reading).catch(
      (error: unknown) => {
        if (this.#pending.get(name) === reading) this.#pending.delete(name);
        throw error;
      },
    );
    this.#pending.set(name, reading);
    return reading as Promise<T>;
  }

  /** Calls for a list, with the ETag that is known of it. */
  async list<Id extends OperationId>(name: string, operation: Id, request: RequestOf<Id>): Promise<unknown> {
    const previous = this.#previousAnswers.get(name) as KnownAnswer<never> | undefined;
    const begun = this.#pending.get(name);
    let tag: string | undefined;
    const onTag = (told: string): void => {
      tag = told;
    };
    const answer = await this.#client.call(operation, request, { cachedAnswer: previous, onTag });
    if (tag !== undefined && this.#pending.get(name) === begun) this.#tags.set(name, tag);
    return answer;
  }

  /** A reading that is here, put in order where it is only in the snapshot; never calls. */
  find(name: string): unknown {
    const reading = this.#indexed.get(name);
    if (reading !== undefined || this.#dropped.has(name)) return reading;
    const answer = this.#snapshot.lists?.answer(name);
    if (answer === undefined) return undefined;
    return this.#keep(name, answer);
  }

  /** A reading that was asked for and is here. */
  peek(name: string): unknown {
    return this.#asked.has(name) ? this.#indexed.get(name) : undefined;
  }

  /** Keeps a list that came with another one. */
  keepAlso(name: string, answer: unknown): void {
    if (!this.#pending.has(name) && !this.#dropped.has(name)) this.#keep(name, answer);
  }

  /** A reading that is here, to be changed; undefined where it is not, and then it is read anew. */
  take(name: string): unknown {
    const reading = this.find(name);
    // What is being read at this moment may be older than what is taken in: it is read again.
    if (reading === undefined) this.drop(name);
    else this.#taken.add(name);
    return reading;
  }

  /** Keeps a reading that a run has made itself. */
  set(name: string, reading: unknown): void {
    this.#pending.set(name, Promise.resolve(reading));
    this.#raw.set(name, reading);
    this.#indexed.set(name, reading);
    this.#asked.add(name);
    this.#taken.add(name);
    this.#tags.delete(name);
  }

  drop(name: string): void {
    for (const all of [this.#pending, this.#raw, this.#indexed, this.#taken, this.#tags, this.#asked]) all.delete(name);
    this.#dropped.add(name);
  }

  /** The names of all readings that were begun or are in the snapshot. */
  names(): Set<string> {
    return new Set([...this.#pending.keys(), ...(this.#snapshot.lists?.names() ?? [])]);
  }

  /** True if a run has changed anything in what was read. */
  isChanged(): boolean {
    return this.#taken.size > 0 || this.#dropped.size > 0;
  }

  isAsked(name: string): boolean {
    return this.#asked.has(name);
  }

  /** The names of what was asked for and has been read. */
  read(): string[] {
    return [...this.#asked].filter((name) => this.#raw.has(name));
  }

  /** Returns the readings that were asked for and are here, by name, with what a run has changed in them. */
  all(): ReadonlyMap<string, unknown> {
    return new Map(
      this.read().map((name) => [name, this.#taken.has(name) ? asRead(this.#indexed.get(name)) : this.#raw.get(name)]),
    );
  }

  /** True if all that was asked for is in a snapshot, and as it is there. */
  isOf(lists: SnapshotLists): boolean {
    const isInIt = (name: string) => name.startsWith('personRoles ') || lists.answer(name) !== undefined;
    return !this.isChanged() && [...this.#asked].every(isInIt);
  }

  /** True if these readings are as the service answered them, with an ETag each. */
  isAsAnswered(names: readonly string[]): boolean {
    return names.every((name) => this.#tags.has(name) && !this.#taken.has(name));
  }

  /** Returns the service's answers, with the ETags that ask whether it would answer the same again. */
  answered(): Map<string, KnownReading> {
    const all = new Map<string, KnownReading>();
    for (const [name, tag] of this.#tags) {
      if (!this.#raw.has(name)) continue;
      const reading = this.#taken.has(name) ? undefined : this.#indexed.get(name);
      all.set(name, { tag, answer: this.#raw.get(name), indexed: reading });
    }
    return all;
  }

  /** True if the view before has read this. */
  isKnown(name: string): boolean {
    return this.#previousAnswers.has(name);
  }

  /** True if a reading gives what the view before was answered. */
  async isSame(name: string, read: () => Promise<unknown>): Promise<boolean> {
    const previousAnswer = this.#previousAnswers.get(name)?.answer;
    await read();
    return previousAnswer !== undefined && this.#raw.get(name) === previousAnswer;
  }

  async #value(name: string, read: () => Promise<unknown>, isCurrent: () => boolean): Promise<unknown> {
    await this.#snapshot.read();
    if (isCurrent()) {
      const reading = this.find(name);
      if (reading !== undefined) return reading;
    }
    const answer = await read();
    const previous = this.#previousAnswers.get(name);
    this.#previousAnswers.delete(name);
    const value =
      previous !== undefined && previous.answer === answer && previous.indexed !== undefined
        ? previous.indexed
        : inOrder(name, answer);
    if (isCurrent()) {
      this.#raw.set(name, answer);
      this.#indexed.set(name, value);
    }
    return value;
  }

  /** Puts an answer in order and keeps it; a reading that was begun stays the one that those who asked wait for. */
  #keep(name: string, answer: unknown): unknown {
    const value = inOrder(name, answer);
    this.#raw.set(name, answer);
    this.#indexed.set(name, value);
    if (!this.#pending.has(name)) this.#pending.set(name, Promise.resolve(value));
    return value;
  }
}

function inOrder(name: string, answer: unknown): unknown {
  const index = indexes[name.split(' ', 1)[0] ?? ''];
  // The client has checked the answer against the schema of its operation.
  return index === undefined ? answer : index(answer as never);
}
