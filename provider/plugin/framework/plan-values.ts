import { isSame, isUnknown, type ObjectValue, unknown, type Value } from '../values/value.ts';
import { type Attribute, isComputed, type Schema } from './schema.ts';

/**
 * Plans the values of a configuration before anything reads the workspace. It fills defaults in. On create, values that the
 * service gives are unknown; on update they stay, unless something changes and the attribute says that it changes along.
 *
 * @param proposed Terraform's own merge of configuration and prior state
 */
export function planValues(
  { attributes }: Schema,
  prior: ObjectValue | null,
  proposed: ObjectValue,
  config: ObjectValue,
): Record<string, Value> {
  const planned: Record<string, Value> = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    planned[name] = valueOf(attribute, prior?.[name], proposed[name] ?? null, config[name] ?? null);
  }
  if (prior !== null && differs(attributes, prior, planned)) {
    for (const [name, attribute] of Object.entries(attributes)) {
      const isGiven = (config[name] ?? null) !== null || attribute.default !== undefined;
      if (attribute.recomputed === true && !isGiven) planned[name] = unknown;
    }
  }
  return planned;
}

function valueOf(attribute: Attribute, prior: Value | undefined, proposed: Value, config: Value): Value {
  if (attribute.writeOnly === true) return null;
  if (config !== null) return config;
  if (attribute.default !== undefined) return attribute.default;
  if (!isComputed(attribute)) return proposed;
  return prior === undefined ? unknown : prior;
}

function differs(attributes: Readonly<Record<string, Attribute>>, prior: ObjectValue, planned: ObjectValue): boolean {
  return Object.entries(attributes).some(([name, { type }]) => {
    const value = planned[name] ?? null;
    return isUnknown(value) || !isSame(type, prior[name] ?? null, value);
  });
}
