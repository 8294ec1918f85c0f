import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { looksLikeDefinitions } from '@rolecall/crds';
import {
  looksLikePrintedPlan,
  looksLikeSavedPlan,
  mapSecretSources,
  readSavedPlan,
  type SavedPlan,
  SavedPlanError,
} from '@rolecall/reconcile';
import { CliError } from '../errors.ts';
import { fromPortable, mapConnectionFiles, mapSourceFile } from '../files/portable-path.ts';
import type { Environment } from '../process/io.ts';
import { findPlanKey } from './plan-key.ts';

/**
 * Finds a saved plan among the paths that a command was given; its content tells it from definitions.
 *
 * @returns the file, or undefined where all are definitions
 * @throws CliError where a plan is given with other paths, or the file is a printed plan
 */
export function findPlanFile(paths: readonly string[]): string | undefined {
  const plan = paths.find((path) => beginsAsJson(path) && isPlan(path));
  if (plan === undefined || paths.length === 1) return plan;
  throw new CliError(
    'ERR_PLAN_AND_DEFINITIONS',
    `${plan} is a saved plan, which contains all that it needs: give it alone, or give definitions without it`,
  );
}

/** @throws CliError with the name of the file when the plan cannot be run */
export function openPlanFile(file: string, env: Environment): SavedPlan {
  const key = findPlanKey(env);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CliError('ERR_PLAN_FORMAT', `${file} is a folder: name the file that "rolecall plan --out" wrote`);
  }
  const text = readFileSync(file, 'utf8');
  failIfDefinitions(file, text);
  try {
    const { plan, connection, ...rest } = readSavedPlan(text, key);
    return {
      ...rest,
      plan: mapSecretSources(plan, (source) => mapSourceFile(source, fromPortable)),
      connection: mapConnectionFiles(connection, fromPortable),
    };
  } catch (error) {
    if (error instanceof SavedPlanError) throw new CliError(error.code, `${file}: ${error.message}`);
    throw error;
  }
}

/** Checked first: other errors would call definitions a damaged plan. */
function failIfDefinitions(file: string, text: string): void {
  if (!looksLikeDefinitions(text) || looksLikeSavedPlan(text)) return;
  throw new CliError(
    'ERR_PLAN_FORMAT',
    `${file}: it contains definitions, not a saved plan. "rolecall plan ${file} --out FILE" saves a plan`,
  );
}

/** True if a file is a saved plan, complete or damaged. */
export function isSavedPlan(file: string): boolean {
  return beginsAsJson(file) && looksLikeSavedPlan(readFileSync(file, 'utf8'));
}

function isPlan(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (looksLikeSavedPlan(text)) return true;
  if (!looksLikePrintedPlan(text)) return false;
  throw new CliError(
    'ERR_PLAN_PRINTED',
    `${file} is the output of plan --format json, which cannot be applied. "rolecall plan --out FILE" saves a plan that can`,
  );
}

/** Definitions are YAML and may be large: only files that begin as JSON are read. */
function beginsAsJson(file: string): boolean {
  if (file === '-' || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(64);
    return /^\s*\{/.test(start.toString('utf8', 0, readSync(descriptor, start)));
  } finally {
    closeSync(descriptor);
  }
}
