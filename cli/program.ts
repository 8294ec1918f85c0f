import { Command, CommanderError } from 'commander';
import type { CommonOptions, Run } from './command.ts';
import { addAnchor } from './commands/anchor/command.ts';
import { addApply } from './commands/apply/command.ts';
import { addAudit } from './commands/audit/command.ts';
import { addBackup } from './commands/backup/command.ts';
import { addCompletion } from './commands/completion/command.ts';
import { addDemo } from './commands/demo/command.ts';
import { addDoctor } from './commands/doctor/command.ts';
import { addExport } from './commands/export/command.ts';
import { addInit } from './commands/init/command.ts';
import { addKeys } from './commands/keys/command.ts';
import { addOperator } from './commands/operator/command.ts';
import { addPlan } from './commands/plan/command.ts';
import { addReport } from './commands/report/command.ts';
import { addRestore } from './commands/restore/command.ts';
import { addSchema } from './commands/schema/command.ts';
import { addSeed } from './commands/seed/command.ts';
import { addServe } from './commands/serve/command.ts';
import { addShow } from './commands/show/command.ts';
import { addTerraform } from './commands/terraform/command.ts';
import { addValidate } from './commands/validate/command.ts';
import { CliError, describeError, InterruptedError, reasonOf } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Io, variable } from './process/io.ts';
import { readVersion } from './version.ts';

/**
 * Runs the command line. Never throws: whatever goes wrong is told on standard error.
 *
 * @param args without the names of Node and of the script
 */
export async function runCommandLine(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const run: Run =
    (action) =>
    async (...actionArguments) => {
      // Loaded only now, so that help comes at once.
      const { createOutput } = await import('./output/output.ts');
      const { format } = optionsAmong(actionArguments);
      exitCode = await action({ io, output: createOutput(io, format) }, ...actionArguments);
    };
  const isJson = wantsJson(args);
  try {
    await createProgram(io, run, isJson).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || !isJson)) return exitCodeOf(error);
    await tell(error, io, isJson, wantsDebug(args, io));
    return error instanceof InterruptedError ? exitCodes.interrupted : exitCodes.error;
  }
}

/** Says that not all was printed: whatever the command did, whoever reads its output has only a part of it. */
export async function tellOfLostOutput(lost: Error, args: readonly string[], io: Io): Promise<ExitCode> {
  const message = `not all of the output could be written (${reasonOf(lost)}); what the command did besides is done`;
  await tell(new CliError('ERR_OUTPUT', message), io, wantsJson(args), false);
  return exitCodes.error;
}

function createProgram(io: Io, run: Run, isJson: boolean): Command {
  const program = new Command('rolecall')
    .description('Database access as code: makes a query workspace match what is declared.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // In JSON mode what is wrong is told as JSON, and nothing else.
      writeErr: (text) => isJson || io.stderr.write(text),
    })
    .showHelpAfterError('(add --help to see what there is)');
  for (const add of [
    addInit,
    addServe,
    addKeys,
    addSeed,
    addAudit,
    addBackup,
    addRestore,
    addValidate,
    addPlan,
    addShow,
    addApply,
    addAnchor,
    addExport,
    addReport,
    addSchema,
    addTerraform,
    addOperator,
    addDoctor,
    addCompletion,
    addDemo,
  ])
    add(program, run);
  return program;
}

function exitCodeOf({ exitCode }: CommanderError): ExitCode {
  return exitCode === 0 ? exitCodes.ok : exitCodes.error;
}

async function tell(error: unknown, io: Io, isJson: boolean, isDebug: boolean): Promise<void> {
  const { printError } = await import('./output/output.ts');
  const described =
    error instanceof CommanderError
      ? { code: 'ERR_USAGE', message: error.message.replace(/^error: /, ''), details: {} }
      : describeError(error);
  const stack = isDebug && error instanceof Error ? { stack: error.stack ?? '' } : {};
  printError(io, isJson, { ...described, details: { ...described.details, ...stack } });
  if ('stack' in stack && !isJson) io.stderr.write(`${stack.stack}\n`);
}

/** commander calls an action with the arguments, the options and the command. */
function optionsAmong(args: readonly unknown[]): CommonOptions {
  const command = args.at(-1);
  return command instanceof Command ? command.opts<CommonOptions>() : { format: 'text' };
}

/** Read before anything is parsed, since what cannot be parsed is told in the format that was asked for, too. */
function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (argument, index) => argument === '--format=json' || (argument === '--format' && args[index + 1] === 'json'),
  );
}

function wantsDebug(args: readonly string[], { env }: Io): boolean {
  return args.includes('--debug') || variable(env, 'ROLECALL_DEBUG') !== undefined;
}
