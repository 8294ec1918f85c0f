import {
  type Anchored,
  anchorText,
  createExcerpts,
  type FileText,
  findFiles,
  isForeignJson,
  type Problem,
  parseTimestamp,
  readText,
  sortProblems,
  standardInput,
} from '@rolecall/crds';
import { listUpTo, visible, visibleLines } from '@rolecall/reconcile';
import { createTwoFilesPatch } from 'diff';
import type { CommonOptions, Context } from '../../command.ts';
import { InvalidDefinitionsError } from '../../definitions/problems.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { failUnlessFile, replaceFile } from '../../files/replace-file.ts';
import { optionValue } from '../../options/option-value.ts';
import { counted } from '../../output/words.ts';

export interface AnchorOptions extends CommonOptions {
  startsAt?: string;
  check?: true;
}

/** A file that gets starts, as it was read and as it will be. */
interface Edit {
  file: string;
  original: FileText;
  text: string;
  anchored: readonly Anchored[];
}

/**
 * Writes the start into every permission that has a duration and no start. All files are read and edited before the
 * first is written, so that a mistake in one leaves all as they are.
 *
 * @throws InvalidDefinitionsError with every problem of the files
 */
export async function anchorPaths(
  context: Context,
  paths: readonly string[],
  options: AnchorOptions,
): Promise<ExitCode> {
  if (paths.includes(standardInput) && paths.length > 1) {
    throw new CliError(
      'ERR_USAGE',
      'standard input (-) cannot be combined with files: its result goes to standard output',
    );
  }
  const { files, problems } = findFiles(paths);
  // Before reading any: reading a pipe might wait for ever for its writer.
  for (const file of files) if (file !== standardInput) failUnlessFile(file);
  const missing = problems.filter(({ severity }) => severity === 'error');
  const edits = await editAll(context, files, paths, missing, wholeSecond(options.startsAt));
  const changed = edits.filter(({ anchored }) => anchored.length > 0);
  failIfOver(changed);
  if (options.check === true) return showDifference(context, changed);
  if (paths.includes(standardInput)) return printEdited(context, edits);
  for (const edit of changed) replaceFile(edit.file, edit.original.bytes, bytesOf(edit));
  for (const edit of changed)
    for (const anchored of edit.anchored) context.output.say(describeAnchored(edit.file, anchored));
  context.output.say(summary(changed));
  context.output.document(documentOf(changed));
  return exitCodes.ok;
}

/** The service counts whole seconds from the start, so that only a start without a fraction needs none in its end. */
function wholeSecond(written: string | undefined): Date {
  if (written === undefined) return new Date(Math.floor(Date.now() / 1000) * 1000);
  const start = new Date(optionValue('--starts-at', written, parseTimestamp));
  if (start.getUTCMilliseconds() === 0) return start;
  throw new CliError('ERR_USAGE', '--starts-at has a fraction of a second: write whole seconds');
}

async function editAll(
  { io }: Context,
  files: readonly string[],
  named: readonly string[],
  notFound: readonly Problem[],
  startsAt: Date,
): Promise<Edit[]> {
  const problems: Problem[] = [...notFound];
  const edits: Edit[] = [];
  const texts = new Map<string, string>();
  for (const file of files) {
    const read = await readText(file, { stdin: io.stdin });
    if ('problem' in read) {
      problems.push(read.problem);
      continue;
    }
    if (!named.includes(file) && isForeignJson(file, read.text)) continue;
    texts.set(file, read.text);
    const result = anchorText(read.text, file, startsAt);
    if ('problems' in result) problems.push(...result.problems.filter(({ severity }) => severity === 'error'));
    else edits.push({ file, original: read, ...result });
  }
  if (problems.length > 0) {
    const excerptOf = createExcerpts((file) => texts.get(file) ?? '');
    throw new InvalidDefinitionsError(sortProblems(problems), excerptOf, 'nothing was written');
  }
  return edits;
}

/** Nothing would ever be granted by such a window, and the next anchor would leave it as it is. */
function failIfOver(changed: readonly Edit[]): void {
  const over = changed.flatMap(({ file, anchored }) =>
    anchored
      .filter(({ expiresAt }) => Date.parse(expiresAt) <= Date.now())
      .map(({ line, name, expiresAt }) => `${file}:${line} ${name}, until ${short(expiresAt)}`),
  );
  if (over.length === 0) return;
  throw new CliError(
    'ERR_WINDOW_PAST',
    `with this --starts-at these permissions would already have ended, so nothing was written: ${visible(listUpTo(5, over))}. Give a later time, or declare a longer duration`,
  );
}

function bytesOf({ original, text }: Edit): Buffer {
  const mark = original.bytes.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : Buffer.alloc(0);
  return Buffer.concat([mark, Buffer.from(text, 'utf8')]);
}

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);

function printEdited({ io, output }: Context, edits: readonly Edit[]): ExitCode {
  for (const edit of edits) {
    if (output.format === 'text') io.stdout.write(bytesOf(edit));
    output.document({ ...documentOf([edit]), text: edit.text });
  }
  return exitCodes.ok;
}

function showDifference({ io, output }: Context, changed: readonly Edit[]): ExitCode {
  if (output.format === 'text') {
    const patch = changed.map(patchOf).join('');
    // To a file or a pipe it goes as it is, for `git apply`; a terminal would obey what a comment may hide.
    io.stdout.write(io.stdout.isTTY ? visibleLines(patch) : patch);
    io.stderr.write(`${summary(changed, 'would get')}\n`);
  }
  output.document(documentOf(changed));
  return changed.length === 0 ? exitCodes.ok : exitCodes.pending;
}

/** A unified diff, with the byte order mark that the file may have. */
function patchOf(edit: Edit): string {
  const name = edit.file === standardInput ? 'stdin' : edit.file;
  const [original, after] = [edit.original.bytes.toString('utf8'), bytesOf(edit).toString('utf8')];
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, original, after);
  return patch.slice(patch.indexOf('---'));
}

function documentOf(changed: readonly Edit[]) {
  return {
    changed: changed.some(({ anchored }) => anchored.length > 0),
    files: changed.map(({ file, anchored }) => ({ file, anchored })),
  };
}

function describeAnchored(file: string, { name, line, startsAt, expiresAt }: Anchored): string {
  return visible(`${file}:${line} ${name}: ${short(startsAt)} to ${short(expiresAt)}`);
}

function short(time: string): string {
  return time.replace('.000Z', 'Z');
}

function summary(changed: readonly Edit[], verb = 'got'): string {
  const permissions = changed.reduce((sum, { anchored }) => sum + anchored.length, 0);
  if (permissions === 0) return 'Nothing to anchor: no permission has a duration without a start.';
  return `${counted(permissions, 'permission')} in ${counted(changed.length, 'file')} ${verb} a start.`;
}
