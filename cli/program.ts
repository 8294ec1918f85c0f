import { Command, CommanderError } from 'commander';
import type { CommonOptions, Context, Run } from './command.ts';
import { addAccess } from './commands/access/command.ts';
import { addAnchor } from './commands/anchor/command.ts';
import { addApply } from './commands/apply/command.ts';
import { addAudit } from './commands/audit/command.ts';
import { addBackup } from './commands/backup/command.ts';
import { addCompletion } from './commands/completion/command.ts';
import { addConnect } from './commands/connect/command.ts';
import { addDemo } from './commands/demo/command.ts';
import { addDoctor } from './commands/doctor/command.ts';
import { addExport } from './commands/export/command.ts';
import { addGateway } from './commands/gateway/command.ts';
import { addInit } from './commands/init/command.ts';
import { addKeys } from './commands/keys/command.ts';
import { addLogin } from './commands/login/command.ts';
import { addOperator } from './commands/operator/command.ts';
import { addPeople } from './commands/people/command.ts';
import { addPlan } from './commands/plan/command.ts';
import { addQuery } from './commands/query/command.ts';
import { addReport } from './commands/report/command.ts';
import { addRestore } from './commands/restore/command.ts';
import { addSchema } from './commands/schema/command.ts';
import { addSeed } from './commands/seed/command.ts';
import { addServe } from './commands/serve/command.ts';
import { addSessions } from './commands/sessions/command.ts';
import { addShow } from './commands/show/command.ts';
import { addStore } from './commands/store/command.ts';
import { addTerraform } from './commands/terraform/command.ts';
import { addValidate } from './commands/validate/command.ts';
import { addVersion } from './commands/version/command.ts';
import { environmentHelp } from './environment-variables.ts';
import { CliError, type DescribedError, describeError, reasonOf } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Io, variable } from './process/io.ts';
import { readVersion } from './version.ts';
import type { Connection } from './workspace/connection.ts';

/**
 * Runs the command line. Never throws: errors are printed on standard error.
 *
 * @param args without the names of Node and of the script
 */
export async function runCommandLine(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  let context: Context | undefined;
  const run: Run =
    (action) =>
    async (...actionArguments) => {
      // Loaded only now, so that help comes at once.
      const { createOutput } = await import('./output/output.ts');
      const { format } = optionsAmong(actionArguments);
      context = { io, output: createOutput(io, format) };
      exitCode = await action(context, ...actionArguments);
    };
  const isJson = wantsJson(args);
  try {
    await createProgram(io, run, isJson).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || !isJson)) return exitCodeOf(error);
    await tell(error, io, isJson, wantsDebug(args, io), context?.connection);
    return error instanceof CliError ? error.exitCode : exitCodes.error;
  }
}

/** Reports that the output is incomplete: the command may have succeeded, but its reader has only a part. */
export async function tellOfLostOutput(lost: Error, args: readonly string[], io: Io): Promise<ExitCode> {
  const message = `not all of the output could be written (${reasonOf(lost)}); the command itself has finished`;
  await tell(new CliError('ERR_OUTPUT', message), io, wantsJson(args), false);
  return exitCodes.error;
}

/** The commands, in the order and under the headings of the help. */
const commandGroups: readonly (readonly [
  heading: string,
  adders: readonly ((program: Command, run: Run) => void)[],
])[] = [
  ['Define access:', [addInit, addValidate, addAnchor, addExport, addSchema]],
  ['Change the workspace:', [addPlan, addShow, addApply]],
  ['See who reaches what, and what is wrong:', [addReport, addDoctor, addDemo]],
  ['Work as yourself:', [addLogin, addAccess, addQuery, addConnect]],
  ['Run the service, the operator and Terraform:', [addServe, addGateway, addOperator, addTerraform, addSeed]],
  ['Operate the service:', [addKeys, addPeople, addSessions, addAudit, addBackup, addRestore, addStore]],
  ['More:', [addCompletion, addVersion]],
];

const exitCodesHelp = `Exit codes:
  ${exitCodes.ok}    done, or nothing to do
  ${exitCodes.error}    an error, or a failed check
  ${exitCodes.pending}    plan --detailed-exitcode: changes are pending; anchor --check: starts are missing;
       report expiring: access ends
  ${exitCodes.undeclared}    plan --detailed-exitcode --undeclared: only something undeclared is there
  ${exitCodes.accessEnded}    query: your access to the data source has ended
  ${exitCodes.interrupted}  ended by Ctrl-C or SIGTERM`;

function createProgram(io: Io, run: Run, isJson: boolean): Command {
  const program = new Command('rolecall')
    .description('Database access as code: makes a query workspace match its definitions.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    // commander's own 40 would leave the long options of "serve" unwrapped in a terminal of 80 columns.
    .configureHelp({ minWidthToWrap: 30 })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // In JSON mode errors are printed as JSON only.
      writeErr: (text) => isJson || io.stderr.write(text),
    })
    .addHelpText('after', `\n${environmentHelp()}\n\n${exitCodesHelp}`)
    .showHelpAfterError('(add --help for the arguments and options)');
  for (const [heading, adders] of commandGroups) {
    program.commandsGroup(heading);
    for (const add of adders) add(program, run);
  }
  program.helpCommand('help [command]', 'print the help of a command');
  return program;
}

function exitCodeOf({ exitCode }: CommanderError): ExitCode {
  return exitCode === 0 ? exitCodes.ok : exitCodes.error;
}

async function tell(error: unknown, io: Io, isJson: boolean, isDebug: boolean, connection?: Connection): Promise<void> {
  const { printError } = await import('./output/output.ts');
  const described: DescribedError =
    error instanceof CommanderError
      ? { code: 'ERR_USAGE', message: error.message.replace(/^error: /, ''), details: {} }
      : await describeIn(error, connection);
  const stack = isDebug && error instanceof Error ? { stack: error.stack ?? '' } : {};
  printError(io, isJson, { ...described, details: { ...described.details, ...stack } });
  if ('stack' in stack && !isJson) io.stderr.write(`${stack.stack}\n`);
}

/** Describes a failed call by the user's settings; JSON also says which call it was. */
async function describeIn(error: unknown, connection: Connection | undefined): Promise<DescribedError> {
  const described = describeError(error);
  if (connection === undefined || !(error instanceof Error) || !('operationId' in error)) return described;
  const [{ CallError }, { describeCall }] = await Promise.all([
    import('@rolecall/api'),
    import('./workspace/describe-call.ts'),
  ]);
  if (!(error instanceof CallError)) return described;
  const { operationId, method, path, attempts, outcome } = error;
  const isRead = method === 'GET' || operationId === 'compareSnapshot';
  const doubt = !isRead && outcome === 'unknown' ? '. The request may have been carried out' : '';
  return {
    ...described,
    message: `${describeCall(error, connection)}${doubt}`,
    details: { ...described.details, call: { method, path, attempts, outcome } },
  };
}

/** commander calls an action with the arguments, the options and the command. */
function optionsAmong(args: readonly unknown[]): CommonOptions {
  const command = args.at(-1);
  return command instanceof Command ? command.opts<CommonOptions>() : { format: 'text' };
}

/** Looks for `--format json` before parsing, since errors of parsing are printed in that format too. */
function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (argument, index) =>
      ['--format=json', '-fjson'].includes(argument) ||
      (['--format', '-f'].includes(argument) && args[index + 1] === 'json'),
  );
}

function wantsDebug(args: readonly string[], { env }: Io): boolean {
  return args.includes('--debug') || variable(env, 'ROLECALL_DEBUG') !== undefined;
}
