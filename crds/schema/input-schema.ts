import { z } from 'zod';
import type { Json } from '../json.ts';

/** What zod makes of a schema: of what is written, not of what comes out. */
export function toInputSchema(schema: z.ZodType): Json {
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, { io: 'input', override: dropSafeBounds });
  return rest;
}

/** zod bounds every integer by what JavaScript can hold, which tells a reader nothing. */
function dropSafeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
