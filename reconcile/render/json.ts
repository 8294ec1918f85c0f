import type { Plan } from '../model/plan.ts';

/**
 * A plan as JSON: the object that `Plan` describes and plan.schema.json defines, with its fields in one order, whatever
 * made it. No secret is in it: a password is where it comes from, and as a changed field its fingerprint.
 */
export function renderJson(plan: Plan): string {
  return printableJson(orderedPlan(plan));
}

/** The plan with its fields in one order, to be a part of a larger document. */
export function orderedPlan(plan: Plan): Plan {
  const {
    format,
    createdAt,
    workspace,
    access,
    removals,
    steps,
    gates,
    observed,
    held,
    refusals,
    notes,
    undeclared,
    compared,
    exact,
    rails,
    digest,
  } = plan;
  const described = { ...(access === undefined ? {} : { access }), ...(removals === undefined ? {} : { removals }) };
  return {
    format,
    createdAt,
    workspace,
    steps,
    ...(gates === undefined ? {} : { gates }),
    observed,
    held,
    refusals,
    notes,
    ...described,
    ...(undeclared === undefined ? {} : { undeclared }),
    compared,
    exact,
    rails,
    digest,
  };
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
