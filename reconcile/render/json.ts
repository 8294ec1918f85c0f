import type { Plan } from '../plan.ts';

/**
 * A plan as JSON: the object that `Plan` describes, with its fields in this order, whatever made it.
 *
 * - `format`: 1, the version of this shape; fields may be added to it, none is renamed or removed within a version
 * - `createdAt`: ISO 8601, UTC
 * - `workspace`: `url`, and `name` where a Workspace is declared
 * - `steps`: the calls, in an order in which they could run one after another, each with `id`, `operation` (of
 *   openapi.json), `params`, `body`, `object` (`kind`, `name`), `summary`, `reason`, `effect` (create, change, grant,
 *   revoke, replace, remove), `changes` (`field`, `from`, `to`), `makes` and `after` (ids of steps)
 * - `observed`: the calls that objects with `managementPolicy: Observe` would need, which never run
 * - `refusals`: `rail`, `objects`, `message`, `remedy` and, where one exists, the `override` token; empty unless the plan
 *   may not run
 * - `notes`: `object` and `message`
 * - `compared`: how many definitions of each kind were compared
 * - `exact`, `rails`, `digest`: the rules of the run, and what stands for everything that was read
 *
 * No secret is in it: a password is where it comes from, and as a changed field its fingerprint.
 */
export function renderJson(plan: Plan): string {
  return printableJson(orderedPlan(plan));
}

/** The plan with its fields in the documented order, to be a part of a larger document. */
export function orderedPlan(plan: Plan): Plan {
  const { format, createdAt, workspace, steps, observed, refusals, notes, compared, exact, rails, digest } = plan;
  return { format, createdAt, workspace, steps, observed, refusals, notes, compared, exact, rails, digest };
}

/**
 * JSON that is safe to print. JSON itself escapes only the control characters below U+0020; terminals obey others too.
 * Such characters can stand nowhere in JSON but inside a string, so that escaping them in the text changes no value.
 *
 * @param indent blanks for each level; 0 puts all on one line
 */
export function printableJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, undefined, indent).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    // By UTF-16 code unit, as JSON has it: a character outside the basic plane is two of them.
    character.split('').map(escape).join(''),
  );
}

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
