import { type RequestOf, routeTable } from '@rolecall/api';
import { z } from 'zod';
import { effects, type StepOperation, stepOperations } from './step-names.ts';

/** The shape of one step of a plan, and its type. */

export const text = (description: string) => z.string().describe(description);
export const time = (description: string) => z.iso.datetime().describe(description);

export const reference = z
  .strictObject({ ref: text('the name that an earlier step gives the id it makes (`makes`)') })
  .meta({ id: 'Reference', description: 'An id that an earlier step of the plan will make.' });

const secretSource = z
  .union([
    z.strictObject({ env: text('an environment variable') }),
    z.strictObject({ file: text('a file; in a saved plan relative to the folder in which the plan was made') }),
    z.strictObject({
      secretKeyRef: z.strictObject({ name: text('a Kubernetes Secret'), key: text('a key in it') }),
    }),
  ])
  .meta({ id: 'SecretSource', description: 'Where the secret is read from at the moment of the call.' });

export const secretUri = z
  .strictObject({
    uri: text('a connection URI without a password'),
    password: secretSource.nullable().describe('null: there is none'),
  })
  .meta({
    id: 'SecretUri',
    description: 'A connection URI; its password is read and inserted at the moment of the call.',
  });

const membershipWindow = z
  .strictObject({
    startsAt: time('when the membership begins to hold; absent: at once').exactOptional(),
    expiresAt: time('when it ends; absent: never').exactOptional(),
  })
  .meta({ id: 'MembershipWindow', description: 'A time in which a person has a role.' });

export const fieldChange = z
  .strictObject({
    field: text('the name of the field'),
    from: z.string().nullable().describe('null: it is not set'),
    to: z.string().nullable().describe('null: it will not be set'),
  })
  .meta({ id: 'FieldChange', description: 'One field that a step changes. A secret appears as a fingerprint.' });

const object = z
  .strictObject({
    kind: text('the kind, such as Person'),
    name: text('`metadata.name`; for an object that never was declared, its name in the workspace'),
    undeclared: z.literal(true).exactOptional().describe('nothing declares the object'),
    deleted: z.literal(true).exactOptional().describe('a definition had it, whose name this is, and has it no longer'),
  })
  .meta({ id: 'StepObject', description: 'The object that a step changes.' });

const plainStep = z
  .strictObject({
    id: text('unique within the plan; the same plan made again has the same ids'),
    operation: z.enum(stepOperations).describe('the operation, as openapi.json names it'),
    params: z.record(z.string(), z.union([z.string(), reference])).describe('the parameters of the path'),
    body: z
      .record(
        z.string(),
        z.union([
          z.string(),
          z.number(),
          z.boolean(),
          z.null(),
          reference,
          secretUri,
          z.array(membershipWindow).readonly(),
        ]),
      )
      .exactOptional()
      .describe('the body of the request'),
    object,
    summary: text('what the call does, in words'),
    reason: text('why it is needed'),
    effect: z.enum(effects).describe('what it does to access'),
    changes: z.array(fieldChange).exactOptional().describe('the fields that it changes'),
    makes: text('the name that later steps use for the id in the answer').exactOptional(),
    after: z.array(z.string()).describe('ids of the steps that must have succeeded before, and names of `gates`'),
  })
  .refine(fitsOperation, 'has not the parameters and the body of its operation');

/** An id that an earlier step will make, by the name that the step gives it. */
export type Reference = z.output<typeof reference>;

/** A connection URI whose password is put in at the moment of the call, so that no plan ever holds it. */
export type SecretUri = z.output<typeof secretUri>;

type PartOf<Op extends StepOperation, Part extends string> =
  RequestOf<Op> extends Readonly<Partial<Record<Part, infer Fields>>> ? NonNullable<Fields> : unknown;

type NamesOf<Op extends StepOperation, Part extends string> = Op extends StepOperation ? keyof PartOf<Op, Part> : never;

/** A parameter of some operation's path. */
export type Parameter = NamesOf<StepOperation, 'params'>;

/** The fields of one operation; those that only others have can be asked for, and are absent. */
type WithAbsent<Fields, All extends PropertyKey> = Fields & { [Name in Exclude<All, keyof Fields>]?: never };

type ParamsOf<Op extends StepOperation> = WithAbsent<
  { [Name in keyof PartOf<Op, 'params'>]: string | Reference },
  Parameter
>;

type BodyOf<Op extends StepOperation> = WithAbsent<
  { [Name in keyof PartOf<Op, 'body'>]: Sent<Name, PartOf<Op, 'body'>[Name]> },
  NamesOf<StepOperation, 'body'>
>;

/** The value of a field as a step has it. */
type Sent<Name, Value> =
  | (Value extends readonly (infer Item)[] ? readonly Item[] : Value)
  | (Name extends 'configUri' ? SecretUri : Name extends `owner${string}Id` ? Reference : never);

/** One API call to one of these operations, as data. */
export type StepOf<Op extends StepOperation> = {
  [O in Op]: Omit<z.output<typeof plainStep>, 'operation' | 'params' | 'body'> & {
    operation: O;
    params: ParamsOf<O>;
  } & (RequestOf<O> extends { body: unknown } ? { body: BodyOf<O> } : { body?: never });
}[Op];

/** One API call, as data. */
export type Step = StepOf<StepOperation>;

// `fitsOperation` holds the parameters to those of the operation. The service checks the fields of a body when the call is made.
export const step = (plainStep as unknown as z.ZodType<Step>).meta({
  id: 'Step',
  description: 'One API call, as data.',
});

function fitsOperation(call: { operation: StepOperation; params: object; body?: object }): boolean {
  const { params, body } = routeTable[call.operation];
  const names = Object.keys(params.shape);
  const hasAll = names.every((name) => Object.hasOwn(call.params, name));
  return (
    hasAll && names.length === Object.keys(call.params).length && (body === undefined) === (call.body === undefined)
  );
}
