import type { ObjectValue } from '../values/value.ts';
import type { Report } from './diagnostics.ts';
import type { Schema } from './schema.ts';

/** The memory of a resource beside its state. Terraform stores it and never shows it. */
export type Private = Readonly<Record<string, string>>;

/** An object's attributes in Terraform's state, as they were read. */
export type StoredState = Readonly<Record<string, unknown>>;

/** The key of an object in Terraform's state: its resource's type and its id. */
export const stateKey = (type: string, id: unknown): string => `${type} ${typeof id === 'string' ? id : ''}`;

/** Context that every verb of a resource gets. */
export interface VerbContext<W> {
  /** The workspace to which the provider's configuration leads. */
  readonly workspace: W;
  readonly report: Report;
  /** The objects in Terraform's state, by `stateKey`. */
  readonly stored: ReadonlyMap<string, StoredState>;
  /** The keys of what was refreshed. Objects that are only forgotten are not, and without a refresh none is. */
  readonly refreshed: ReadonlySet<string>;
}

export interface PlanRequest {
  /** Null when the object is to be created. */
  readonly prior: ObjectValue | null;
  /** The framework's plan of the configuration, with defaults; values not known yet are unknown. */
  readonly planned: ObjectValue;
  readonly config: ObjectValue;
  readonly private: Private;
}

export interface Planned {
  readonly planned: ObjectValue;
  readonly private?: Private;
}

export interface ApplyRequest {
  readonly planned: ObjectValue;
  readonly config: ObjectValue;
  readonly private: Private;
}

export interface Applied {
  /** Null when there is no object; where an error was reported, what exists all the same. */
  readonly state: ObjectValue | null;
  readonly private?: Private;
}

export interface UpdateRequest extends ApplyRequest {
  readonly prior: ObjectValue;
}

export interface StoredObject {
  readonly state: ObjectValue;
  readonly private: Private;
}

export interface ImportRequest {
  /** As it was written: an id, or a natural key. */
  readonly id: string;
}

/** An object that a list found. */
export interface Listed {
  /** The name by which people know it. */
  readonly name: string;
  /** Those of its attributes that identify it, and those that lists are narrowed by. */
  readonly attributes: ObjectValue;
}

/** Lists the objects of a resource, for `terraform query` (1.14 and newer). */
export interface Listing<W> {
  /** The attributes of the resource that narrow a list: objects that have the given values. */
  readonly filters: readonly string[];
  /** @param config what narrows the list, for who reads less by it; others are left out afterwards */
  readonly list: (context: VerbContext<W>, config: ObjectValue) => Promise<readonly Listed[]>;
}

/** A resource: its schema, and a function for each verb. Each throws a DiagnosticError, or reports and returns what exists. */
export interface Resource<W> {
  readonly type: string;
  readonly schema: Schema;
  /** The attributes that identify an object: texts that are there as soon as it is. */
  readonly identity: readonly string[];
  readonly listing: Listing<W>;
  /** Checks what no attribute alone can tell; unknown values are to be let through. */
  readonly validate?: (config: ObjectValue, report: Report) => void;
  /** Corrects the framework's plan by the state of the workspace; writes nothing. */
  readonly plan: (request: PlanRequest, context: VerbContext<W>) => Promise<Planned>;
  /** Checks whether the object may go. */
  readonly planDestroy: (object: StoredObject, context: VerbContext<W>) => Promise<void>;
  readonly create: (request: ApplyRequest, context: VerbContext<W>) => Promise<Applied>;
  /** Null when the object is gone. */
  readonly read: (object: StoredObject, context: VerbContext<W>) => Promise<Applied>;
  readonly update: (request: UpdateRequest, context: VerbContext<W>) => Promise<Applied>;
  /** An object that is gone already is no error. */
  readonly remove: (object: StoredObject, context: VerbContext<W>) => Promise<void>;
  /** By what an object is imported, after "by": `its identifier or its username`. */
  readonly importedBy: string;
  readonly import: (request: ImportRequest, context: VerbContext<W>) => Promise<Applied>;
}
