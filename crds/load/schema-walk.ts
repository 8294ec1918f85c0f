/** Looks into the zod schemas, for remedies that name the known fields. */

import { z } from 'zod';
import type { Path } from '../path.ts';

/** The schema of the value at a path, without its wrappers; undefined where the schemas know no such path. */
export function schemaAt(root: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  let schema: z.core.$ZodType | undefined = unwrap(root);
  for (const part of path) {
    if (schema === undefined) return undefined;
    schema = child(schema, part);
  }
  return schema;
}

function child(schema: z.core.$ZodType, part: string | number): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    const field = Object.hasOwn(shape, part) ? shape[part] : undefined;
    return field === undefined ? undefined : unwrap(field);
  }
  return schema instanceof z.ZodArray ? unwrap(schema.element) : undefined;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap());
  }
  return schema;
}

/** The names of the fields of the mapping at a path. */
export function fieldsAt(root: z.core.$ZodType, path: Path): readonly string[] {
  const schema = schemaAt(root, path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Returns the description of the value at a path. */
export function descriptionAt(root: z.core.$ZodType, path: Path): string | undefined {
  const schema = schemaAt(root, path);
  return schema instanceof z.ZodType ? schema.description : undefined;
}
