import { statSync } from 'node:fs';
import { type Baseline, mapSecretSources, type Plan, writeSavedPlan } from '@rolecall/reconcile';
import type { Declared } from '../../definitions/declared.ts';
import { CliError } from '../../errors.ts';
import { failUnlessWritable } from '../../files/out-file.ts';
import { mapConnectionFiles, mapSourceFile, toPortable } from '../../files/portable-path.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { isSavedPlan } from '../../plans/plan-file.ts';
import { findPlanKey } from '../../plans/plan-key.ts';
import type { Environment } from '../../process/io.ts';
import { readVersion } from '../../version.ts';

/** Saves a plan where `--out` says. */
export type SavePlan = (plan: Plan, baseline: Baseline, workspace: Declared['workspace']) => void;

/**
 * Looks whether a plan can be saved, before minutes are spent on making it.
 *
 * @throws CliError
 */
export function prepareSaving(out: string, env: Environment): SavePlan {
  if (out === '-') {
    throw new CliError(
      'ERR_OUT',
      '--out - names no file: --format json prints the plan; to save one that apply can run, give the name of a file',
    );
  }
  const key = findPlanKey(env);
  failUnlessWritable(out);
  failIfOther(out);
  return (plan, baseline, workspace) => {
    const portable = mapSecretSources(plan, (source) => mapSourceFile(source, toPortable));
    const connection = mapConnectionFiles(workspace?.spec ?? {}, toPortable);
    writeWhole(out, writeSavedPlan({ madeBy: `rolecall ${readVersion()}`, plan: portable, connection, baseline }, key));
  };
}

/** A mistyped command must not overwrite a file: a plan replaces only a plan. */
function failIfOther(out: string): void {
  const there = statSync(out, { throwIfNoEntry: false });
  if (there?.isFile() !== true || there.size === 0 || isSavedPlan(out)) return;
  throw new CliError('ERR_OUT', `--out ${out} exists and is not a saved plan: give another name, or remove the file`);
}
