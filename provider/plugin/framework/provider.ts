import type { Log } from '../process/log.ts';
import type { Type } from '../values/type.ts';
import type { ObjectValue, Value } from '../values/value.ts';
import type { Report } from './diagnostics.ts';
import type { Resource, VerbContext } from './resource.ts';
import type { Schema } from './schema.ts';

/** Something that is only read. */
export interface DataSource<W> {
  readonly type: string;
  readonly schema: Schema;
  readonly validate?: (config: ObjectValue, report: Report) => void;
  readonly read: (config: ObjectValue, context: VerbContext<W>) => Promise<ObjectValue>;
}

/** Something that is done when it is asked for, and that no state remembers (Terraform 1.14). */
export interface Action<W> {
  readonly type: string;
  readonly schema: Schema;
  readonly validate?: (config: ObjectValue, report: Report) => void;
  /** Checks whether it can be done, as far as its configuration is known; writes nothing. */
  readonly plan?: (config: ObjectValue, context: VerbContext<W>) => Promise<void>;
  /** @returns what was done, as a sentence */
  readonly invoke: (config: ObjectValue, context: VerbContext<W>) => Promise<string>;
}

export interface Parameter {
  readonly name: string;
  readonly type: Type;
  /** Markdown. */
  readonly description: string;
}

/** A function that configurations call as provider::rolecall::name(…). */
export interface ProviderFunction {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly returns: Type;
  /** @throws FunctionError */
  readonly call: (args: readonly Value[]) => Promise<Value>;
}

/** A function was called with something that it does not take. */
export class FunctionError extends Error {
  override name = 'FunctionError';
  readonly code = 'ERR_FUNCTION';
  /** The index of the argument, from 0. */
  readonly argument: number | undefined;
  constructor(message: string, argument?: number) {
    super(message);
    this.argument = argument;
  }
}

export interface Configured<W> {
  readonly workspace: W;
  /** Cuts waits short; running calls finish. */
  readonly stop: () => void;
  /** Forgets one plan or apply before the next one, where Terraform has several of them with one configuration. */
  readonly beginAgain: (call: 'plan' | 'read') => void;
}

export interface Provider<W> {
  /** Its name in configurations, with which the names of its resources begin. */
  readonly name: string;
  readonly version: string;
  readonly schema: Schema;
  readonly resources: readonly Resource<W>[];
  readonly dataSources: readonly DataSource<W>[];
  readonly functions: readonly ProviderFunction[];
  readonly actions: readonly Action<W>[];
  /** Undefined when it cannot be configured, which was reported. */
  readonly configure: (config: ObjectValue, report: Report, log: Log) => Promise<Configured<W> | undefined>;
}
