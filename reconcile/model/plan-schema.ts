import { declarableKinds } from '@rolecall/api';
import { exactCollections } from '@rolecall/crds';
import { z } from 'zod';
import { noteCodes, railNames } from './step-names.ts';
import { step, text, time } from './step-schema.ts';

/**
 * The shape of a plan: what `rolecall plan --format json` prints, and the larger part of a saved plan. The types of plans come from
 * here, and so does their JSON Schema; a plan that was saved is checked against it before it runs.
 */

export const refusal = z
  .strictObject({
    rail: z.enum(railNames).describe('what refuses'),
    objects: z.array(z.string()).describe('the objects that it is about'),
    places: z.array(z.string()).exactOptional().describe('where they are declared: `access/people.yaml:12`'),
    message: text('what is wrong, in words'),
    remedy: text('what to do'),
    override: text('the token that overrides it; absent where nothing does').exactOptional(),
  })
  .meta({ id: 'Refusal', description: 'A reason why some calls, or all, may not run.' });

export const note = z
  .strictObject({
    object: text('what it is about'),
    message: text('what a reviewer should know'),
    code: z
      .enum(noteCodes)
      .describe(
        '`undetermined`: a part of the object is left as it is, which may not be what is declared; `kept-by-runs`: the service keeps no times of memberships, so that only a run begins and ends this one',
      )
      .exactOptional(),
  })
  .meta({ id: 'Note', description: 'Something that changes nothing.' });

export const accessWay = z
  .union([
    z.strictObject({
      role: text('as a member of this role'),
      from: time('when that begins, where it is later').exactOptional(),
      until: time('when that ends, where it ends by itself').exactOptional(),
    }),
    z.strictObject({ from: time('by a permission: its start'), until: time('its end') }),
  ])
  .meta({ id: 'AccessWay', description: 'How a person reaches a data source.' });

export const accessChange = z
  .strictObject({
    person: text('the username'),
    dataSource: text('the alias; the name where there is none'),
    effect: z.enum(['gains', 'loses', 'changes']).describe('changes: reached before and after, in another way or time'),
    before: z.array(accessWay).describe('how it is reached now, or will be'),
    after: z.array(accessWay).describe('how it is reached once the plan has run'),
  })
  .meta({ id: 'AccessChange', description: "What a plan does to one person's access to one data source." });

const definedObject = z.strictObject({
  kind: z.enum(declarableKinds).describe('the kind of the object, as the service names it'),
  id: text("the object's identifier; of a membership, those of role and member with a slash between"),
  definition: text('`Person/ada`'),
});

export const declarations = z
  .strictObject({
    manager: text('the name of the set: `rolecall/production`'),
    basis: text('stands for what the service remembered of the set when the plan was made'),
    unfit: text('why no run of this plan writes anything: its definitions come from elsewhere').exactOptional(),
    origin: text('where the definitions come from, if that is to be remembered anew').exactOptional(),
    kept: z.array(z.string()).describe('definitions with `deletionPolicy: Orphan`'),
    declared: z
      .array(definedObject.extend({ isKept: z.boolean().describe('whether it stays when its definition goes') }))
      .describe('what definitions have that was not remembered so'),
    forgotten: z.array(definedObject).describe('what is no longer theirs, and stays'),
  })
  .meta({ id: 'Declarations', description: 'What the service is to remember of a set of definitions.' });

export const planSchema = z
  .strictObject({
    format: z.literal(1).describe('the version of this shape; within it fields may be added, none renamed or removed'),
    createdAt: time('when it was made: ISO 8601, UTC'),
    workspace: z
      .strictObject({
        url: text('its address'),
        name: text('the name of its Workspace, where one is declared').exactOptional(),
        store: text('the identity of its store, where the service tells it').exactOptional(),
      })
      .describe('the workspace that it was made for'),
    steps: z.array(step).describe('the calls that may run, in an order in which they could run one after another'),
    gates: z
      .record(z.string(), z.array(z.string()))
      .exactOptional()
      .describe('lists of ids that many steps wait for, by the name that stands in their `after`'),
    observed: z
      .array(step)
      .describe('the calls that objects with `managementPolicy: Observe` would need, which never run'),
    held: z.array(step).describe('the calls that refusals hold up, which never run'),
    refusals: z.array(refusal).describe('why calls are held up; empty when all may run'),
    notes: z.array(note).describe('what a reviewer should know'),
    access: z.array(accessChange).exactOptional().describe('who gains or loses what; `apply --yes` leaves it out'),
    removals: z
      .record(z.string(), z.int().min(1))
      .exactOptional()
      .describe(
        'how much the steps take away, with what falls along: `permissions`, `members` (of roles), `locks` (of people), `people`, `roles`, `dataSources`, `snippets`; what is not named is 0',
      ),
    undeclared: z
      .partialRecord(
        z.enum(exactCollections),
        z.strictObject({
          count: z.int().min(0).describe('how many'),
          names: z.array(z.string()).exactOptional().describe('what they are; with `plan --undeclared` only'),
        }),
      )
      .exactOptional()
      .describe(
        'what is in the workspace, is not declared and stays there, by collection; a collection that was not read as a whole is absent, and `plan --undeclared` reads all. Permissions that have ended are not counted',
      ),
    declarations: declarations
      .exactOptional()
      .describe('what the service is to remember; absent where it does not, or where no Workspace is declared'),
    compared: z.record(z.string(), z.int().min(0)).describe('how many definitions of each kind were compared'),
    exact: z.array(z.enum(exactCollections)).readonly().describe('the collections that are declared exact'),
    rails: z
      .strictObject({
        maxRemovalPercent: z.number(),
        minimumRemoval: z.number(),
        allowFirstRemoval: z.boolean().exactOptional(),
      })
      .describe('the bounds of removals'),
    digest: text('stands for everything that was read: 64 hexadecimal digits'),
  })
  .meta({ id: 'Plan', description: 'What a run would do, as data. No secret is in it.' });

/** A JSON Schema (draft 2020-12) of a plan as `plan --format json` prints it. */
export function planJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(planSchema, { target: 'draft-2020-12', reused: 'inline' });
  return { $schema, $id: 'https://rolecall.dev/schemas/plan.schema.json', title: 'Rolecall plan', ...rest };
}
