import { readFileSync } from 'node:fs';
import { visible } from '@rolecall/reconcile';
import { CliError } from '../../errors.ts';
import type { InputStream } from '../../process/io.ts';

/**
 * Reads the statements to run: those of the arguments, then those of the files; without any, standard input.
 *
 * @throws CliError where there is none, or one is empty or no UTF-8
 */
export async function readSql(
  args: readonly string[],
  files: readonly string[],
  stdin: InputStream,
): Promise<[string, ...string[]]> {
  const given = args.map((text, index) => required(text, `argument ${index + 1}`));
  for (const file of files) {
    given.push(file === '-' ? await readInput(stdin) : required(decode(readFileSync(file), file), visible(file)));
  }
  const [first, ...others] = given;
  if (first !== undefined) return [first, ...others];
  if (stdin.isTTY === true) {
    throw new CliError('ERR_USAGE', 'there is no SQL: give it as an argument, with --file, or on standard input');
  }
  return [await readInput(stdin)];
}

async function readInput(stdin: InputStream): Promise<string> {
  const pieces: Buffer[] = [];
  // A stream of texts gives texts.
  for await (const piece of stdin) pieces.push(Buffer.from(piece as Buffer | string));
  return required(decode(Buffer.concat(pieces), 'standard input'), 'standard input');
}

function decode(bytes: Buffer, where: string): string {
  try {
    // Takes a byte order mark away, which databases do not know.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliError('ERR_USAGE', `the SQL of ${visible(where)} is no UTF-8`);
  }
}

function required(sql: string, where: string): string {
  if (sql.trim() !== '') return sql;
  throw new CliError('ERR_USAGE', `there is no SQL: ${where} is empty`);
}
