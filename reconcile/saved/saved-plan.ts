import { kinds, type WorkspaceSpec } from '@rolecall/crds';
import { z } from 'zod';
import type { Plan } from '../model/plan.ts';
import { planSchema } from '../model/plan-schema.ts';
import { printableJson } from '../render/json.ts';
import type { Baseline } from './baseline.ts';
import { SavedPlanError } from './errors.ts';
import { isSealed, sealOf } from './seal.ts';

/** The connection to the workspace of a saved plan, as far as its Workspace definition says; never a secret. */
export type SavedConnection = Pick<WorkspaceSpec, 'caFile' | 'credentialsFrom'>;

/** A plan as it lies in a file between its review and its run. */
export interface SavedPlan {
  /** The program that wrote it: `rolecall 0.1.0`. */
  readonly madeBy: string;
  readonly plan: Plan;
  readonly connection: SavedConnection;
  readonly baseline: Baseline;
}

/** The version of the file. Another one is refused, since its steps might mean something else. */
const savedVersion = 1;
const marker = 'rolecallPlan';

/**
 * Writes a plan as the text of a file, in one line: it is read by `rolecall apply` and `rolecall show`.
 *
 * @param key signs it; absent: the digest alone
 */
export function writeSavedPlan({ madeBy, plan, connection, baseline }: SavedPlan, key: string | undefined): string {
  const content = { [marker]: savedVersion, madeBy, plan, connection, baseline };
  return `${printableJson({ ...content, seal: sealOf(content, key) }, 0)}\n`;
}

/** True if a text is a saved plan, whole or not, rather than definitions. */
export function looksLikeSavedPlan(text: string): boolean {
  if (/^\s*\{\s*"rolecallPlan"\s*:/.test(text)) return true;
  return /^\s*\{/.test(text) && text.includes(`"${marker}"`) && isMarked(parse(text));
}

/** True if a text is what `plan --format json` prints: for people, and not to be run. */
export function looksLikePrintedPlan(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  const value = parse(text);
  return planSchema.pick({ format: true, createdAt: true, digest: true }).loose().safeParse(value).success;
}

/**
 * Reads a saved plan.
 *
 * @param key where given, the plan must be signed with it
 * @throws SavedPlanError
 */
export function readSavedPlan(text: string, key: string | undefined): SavedPlan {
  const value = parse(text);
  if (value === undefined) {
    throw new SavedPlanError(
      'ERR_PLAN_NOT_JSON',
      'the plan is not whole: it is no JSON, as when only a part of it was copied. Copy it again, or make a new one',
    );
  }
  checkVersion(value);
  const checked = savedSchema.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
    throw new SavedPlanError(
      'ERR_PLAN_FORMAT',
      `the plan has not the form of one${where}: ${issue?.message ?? 'it is something else'}. Make a new one by plan --out`,
    );
  }
  checkSeal(value, checked.data, key);
  const { madeBy, plan, connection, baseline } = checked.data;
  return { madeBy, plan, connection, baseline };
}

const connectionSchema = kinds.Workspace.schema.pick({ caFile: true, credentialsFrom: true });

const savedSchema = z.strictObject({
  [marker]: z.literal(savedVersion),
  madeBy: z.string(),
  plan: planSchema,
  connection: z.custom<SavedConnection>((value) => connectionSchema.safeParse(value).success),
  baseline: z.record(
    z.string(),
    z.strictObject({ what: z.string(), objects: z.record(z.string(), z.tuple([z.string(), z.string()])) }),
  ),
  seal: z.strictObject({ digest: z.string(), signature: z.string().exactOptional() }),
});

function checkVersion(value: unknown): void {
  if (!isMarked(value)) {
    throw new SavedPlanError('ERR_PLAN_FORMAT', 'this is no plan that plan --out has written');
  }
  if (value[marker] === savedVersion) return;
  throw new SavedPlanError(
    'ERR_PLAN_VERSION',
    `the plan has version ${JSON.stringify(value[marker])} of the format, and this rolecall reads version ${savedVersion}. Plan and apply with the same rolecall`,
  );
}

/** @param value as it was read: what the schema does not know would otherwise not be sealed */
function checkSeal(value: unknown, { seal }: z.output<typeof savedSchema>, key: string | undefined): void {
  const { seal: _seal, ...content } = value as Record<string, unknown>;
  if (!isSealed(content, seal, undefined)) {
    throw new SavedPlanError(
      'ERR_PLAN_EDITED',
      'the plan has been changed since it was written: it is not what was reviewed. Change the definitions and make a new plan',
    );
  }
  if (key === undefined && seal.signature !== undefined) {
    throw new SavedPlanError(
      'ERR_PLAN_SIGNATURE',
      'the plan is signed, and there is no key here to check that. Set ROLECALL_PLAN_KEY to the key that it was made with',
    );
  }
  if (key === undefined || isSealed(content, seal, key)) return;
  throw new SavedPlanError(
    'ERR_PLAN_SIGNATURE',
    seal.signature === undefined
      ? 'the plan is not signed, and ROLECALL_PLAN_KEY asks for a signature. Set it where the plan is made, too'
      : 'the signature of the plan does not fit: it was made with another key, or without one',
  );
}

function isMarked(value: unknown): value is Record<typeof marker, unknown> {
  return typeof value === 'object' && value !== null && marker in value;
}

function parse(text: string): unknown {
  try {
    // Some editors write a byte order mark, which is no part of JSON.
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    return undefined;
  }
}
