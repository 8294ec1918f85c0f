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
 * Finds a saved plan among the paths that a command was given; they are told from definitions by what is in them.
 *
 * @returns the file, or undefined where all are definitions
 * @throws CliError where a plan stands beside other paths, or was only printed
 */
export function findPlanFile(paths: readonly string[]): string | undefined {
  const plan = paths.find((path) => beginsAsJson(path) && isPlan(path));
  if (plan === undefined || paths.length === 1) return plan;
  throw new CliError(
    'ERR_PLAN_AND_DEFINITIONS',
    `${plan} is a saved plan, which has all that it needs in it: give it alone, or definitions without it`,
  );
}

/** @throws CliError, with the name of the file, when it cannot be run as it is */
export function openPlanFile(file: string, env: Environment): SavedPlan {
  const key = findPlanKey(env);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CliError('ERR_PLAN_FORMAT', `${file} is a folder: name the file that plan --out has written`);
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

/** Told before anything else: of a text that was never a plan nothing is missing. */
function failIfDefinitions(file: string, text: string): void {
  if (!looksLikeDefinitions(text) || looksLikeSavedPlan(text)) return;
  throw new CliError(
    'ERR_PLAN_FORMAT',
    `${file}: it holds definitions and no saved plan: rolecall plan shows what they would change, and saves that by --out FILE`,
  );
}

/** Whether a file is a saved plan, whole or not. */
export function isSavedPlan(file: string): boolean {
  return beginsAsJson(file) && looksLikeSavedPlan(readFileSync(file, 'utf8'));
}

function isPlan(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (looksLikeSavedPlan(text)) return true;
  if (!looksLikePrintedPlan(text)) return false;
  throw new CliError(
    'ERR_PLAN_PRINTED',
    `${file} is what plan --format json prints, for people and programs to read: save the plan to be applied by plan --out FILE`,
  );
}

/** Definitions are YAML and may be large: only what begins as JSON is looked at. */
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
