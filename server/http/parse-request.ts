import { type FieldError, type OperationId, type ParsedRequest, type Route, routeTable } from '@rolecall/api';
import type { z } from 'zod';
import { fieldErrors } from '../field-errors.ts';
import { invalidFields, malformedParameters, Refusal } from '../refusal.ts';
import { parseForm } from './form-body.ts';
import { bodyReader, type RawBody } from './read-body.ts';

export interface RawRequest extends RawBody {
  params: unknown;
  /** The query string, without its question mark. */
  query: string;
}

/** Makes the function that reads and checks every part of a request to one operation. */
export function requestParser<Id extends OperationId>(id: Id): (raw: RawRequest) => ParsedRequest<Id> {
  const route = routeTable[id];
  const readBody = bodyReader(route);
  return (raw) => {
    const params = check(route.params, raw.params, malformedParameters);
    const query = readQuery(route, raw.query);
    const fields = readBody(raw);
    const body = route.body === undefined ? undefined : check(route.body.schema, fields, invalidFields);
    // What the schemas of the operation gave is what its type says.
    return { params, query, body } as ParsedRequest<Id>;
  };
}

const noQuery = Object.freeze({});

function readQuery(route: Route, text: string): unknown {
  if (text === '') return noQuery;
  try {
    const values = Object.fromEntries(parseForm(text, 'the query string'));
    return check(route.query, values, malformedParameters);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'malformed_request') throw error;
    throw new Refusal('malformed_parameter', error.message, error.errors === undefined ? {} : { errors: error.errors });
  }
}

function check(schema: z.ZodType, value: unknown, refusal: (errors: FieldError[]) => Refusal): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Only now with the inputs, by which a missing field is told from one of the wrong type.
  const again = schema.safeParse(value, { reportInput: true });
  throw refusal(fieldErrors(again.error ?? result.error, schema));
}
