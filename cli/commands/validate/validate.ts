import { kindNames, type Loaded, loadDefinitions, type Problem } from '@rolecall/crds';
import { desiredState, type Palette, visible } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { allProblems, notOnCommandLine, showProblems } from '../../definitions/problems.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { counted } from '../../output/words.ts';
import type { InputStream } from '../../process/io.ts';

/** The JSON of `rolecall validate`. */
interface Check {
  valid: boolean;
  files: number;
  /** Number of definitions without errors, by kind. */
  definitions: Record<string, number>;
  errors: number;
  warnings: number;
  problems: Problem[];
  /** Documents of other API groups, which were passed over, and JSON of other programs, which has no kind. */
  ignored: { file: string; line: number; kind: string; name?: string }[];
}

/** `rolecall validate`. */
export async function validate({ io, output }: Context, paths: readonly string[]): Promise<ExitCode> {
  const { check, excerptOf } = await checkDefinitions(paths, io.stdin);
  if (output.format === 'text') output.say(describeCheck(check, excerptOf, output.palette));
  output.document(check);
  return check.valid ? exitCodes.ok : exitCodes.error;
}

/** Checks definitions without a workspace. Reads no secret and sends no request. */
async function checkDefinitions(
  paths: readonly string[],
  stdin: InputStream,
): Promise<{ check: Check; excerptOf: Loaded['excerptOf'] }> {
  const loaded = await loadDefinitions(paths, { stdin });
  const { definitions, ignored, files } = loaded;
  const workspaces = new Set([undefined, ...definitions.filter((definition) => definition.kind === 'Workspace')]);
  // Fields that only the command line does not support are warnings: the operator and Terraform support them.
  const others = [...workspaces].flatMap((workspace) => desiredState(definitions, workspace).errors);
  const all = allProblems(
    loaded,
    others.map((error) => notOnCommandLine(error, 'warning')),
  );
  const errors = all.filter(({ severity }) => severity === 'error').length;
  const check = {
    valid: errors === 0,
    files: files.length,
    definitions: countKinds(definitions),
    errors,
    warnings: all.length - errors,
    problems: all,
    ignored: ignored.map(({ file, line, kind, name }) => ({
      file,
      line,
      kind,
      ...(name === undefined ? {} : { name }),
    })),
  };
  return { check, excerptOf: loaded.excerptOf };
}

/** The same as text, without a line break at the end. */
function describeCheck(check: Check, excerptOf: Loaded['excerptOf'], palette: Palette): string {
  const { create, remove } = palette;
  const { files, definitions, errors, warnings, ignored } = check;
  const total = Object.values(definitions).reduce((sum, number) => sum + number, 0);
  const problems = showProblems(check.problems, excerptOf, palette);
  const passedOver = ignored.map(({ file, line, kind }) =>
    kind === ''
      ? visible(`${file} passed over: it is no object of Kubernetes`)
      : `${visible(`${file}:${line} passed over: ${kind}`)} is not Rolecall's`,
  );
  const counts = `${counted(errors, 'error')}, ${counted(warnings, 'warning')} in ${counted(files, 'file')}`;
  const kinds = Object.entries(definitions).map(([kind, number]) => `${number} ${kind}`);
  const summary = `${counted(total, 'definition')} without errors${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}: ${counts}.`;
  return [...problems, ...passedOver, check.valid ? create(`Valid. ${summary}`) : remove(`Not valid. ${summary}`)].join(
    '\n',
  );
}

function countKinds(definitions: readonly { kind: string }[]): Record<string, number> {
  const byKind = Map.groupBy(definitions, ({ kind }) => kind);
  const counts = kindNames.map((kind) => [kind, byKind.get(kind)?.length ?? 0] as const);
  return Object.fromEntries(counts.filter(([, number]) => number > 0));
}
