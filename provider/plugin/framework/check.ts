import type { Type } from '../values/type.ts';
import { isWhollyKnown, type ObjectValue, type Path, type Value } from '../values/value.ts';
import { failure, type Report } from './diagnostics.ts';
import type { Attribute, Fault, Schema } from './schema.ts';

/** A block with attributes from a configuration: the provider, a resource, or a data source. */
interface Configurable {
  readonly schema: Schema;
  readonly validate?: (config: ObjectValue, report: Report) => void;
}

/** Reports every problem of a configuration, as far as it is known. */
export function checkConfig({ schema, validate }: Configurable, config: ObjectValue, report: Report): void {
  for (const { path, fault } of faultsOf(schema, config)) {
    report(failure(`Invalid ${String(path[0])}`, `${String(path[0])} ${fault.message}. ${fault.remedy}`, path));
  }
  validate?.(config, report);
}

function faultsOf({ attributes }: Schema, config: ObjectValue): { path: Path; fault: Fault }[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const value = config[name] ?? null;
    const fault = presenceFault(attribute, value) ?? checked(attribute, value);
    return fault === undefined ? [] : [{ path: [name], fault }];
  });
}

function checked({ check }: Attribute, value: Value): Fault | undefined {
  return check === undefined || value === null || !isWhollyKnown(value) ? undefined : check(value);
}

/** Terraform itself sees only that a required attribute is written, not that it comes to null, and lets a read-only one be written. */
function presenceFault({ presence, type }: Attribute, value: Value): Fault | undefined {
  if (value === null) {
    if (presence !== 'required') return undefined;
    const none = isCollection(type) ? ', [] for none' : '';
    return {
      message: 'is required, and is null',
      remedy: `Give it a value${none}, or leave the resource out, as with count = 0.`,
    };
  }
  if (presence === 'computed') return { message: 'is read-only', remedy: 'Leave it out: the workspace gives it.' };
  if (!isCollection(type) || !Array.isArray(value) || !value.includes(null)) return undefined;
  return { message: 'has an element that is null', remedy: 'Take it out, as compact() does; [] means none.' };
}

function isCollection(type: Type): boolean {
  return typeof type !== 'string' && (type[0] === 'list' || type[0] === 'set');
}
