import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { orderedPlan, type Plan, printableJson } from '@rolecall/reconcile';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const file = path.resolve(import.meta.dirname, '../../reconcile/plan.schema.json');
const ajv = new Ajv2020({ allErrors: true, strict: true });
formats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object);
const resultFile = path.resolve(import.meta.dirname, '../../docs/schemas/apply-result.schema.json');
// It refers to the schema of plans, which is known by now.
const validateResult = ajv.compile(JSON.parse(readFileSync(resultFile, 'utf8')) as object);

/** Holds a plan, as it is printed, to the schema that is committed; the plans of all suites go through here. */
export function assertPlanSchema(plan: Plan): void {
  assertPrintedPlan(JSON.parse(printableJson(orderedPlan(plan))));
}

/** The same for what a command printed. */
export function assertPrintedPlan(printed: unknown): void {
  assert.ok(validate(printed), ajv.errorsText(validate.errors));
}

/** Holds what `apply --format json` printed to the schema that is published for it. */
export function assertApplyResult(printed: unknown): void {
  assert.ok(validateResult(printed), ajv.errorsText(validateResult.errors));
}
