import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../cli/support/run-command.ts';
import { type Fence, root } from './markdown.ts';

/** Those of the repository, and of the one example that is a project of npm. */
const scripts = ['.', 'examples/cdktf'].flatMap((folder) => {
  const text = readFileSync(path.join(root, folder, 'package.json'), 'utf8');
  return Object.keys((JSON.parse(text) as { scripts: Record<string, string> }).scripts);
});

/** Single commands of a fence: line by line, without comments, variables in front and what comes after a pipe. */
export function commandsOf({ text }: Fence): string[][] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, ''))
    .flatMap((line) => line.split(/&&|\|\||[;|&]/))
    .map((command) => command.trim().split(/\s+/))
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
    .filter(([first = '']) => first !== '');
}

/** What is wrong with a command; undefined where nothing is, or where it is neither npm's nor Rolecall's. */
export async function faultOf(words: readonly string[]): Promise<string | undefined> {
  const [program, ...rest] = words;
  if (program === 'npm') return npmFault(rest);
  if (program === 'rolecall') return rolecallFault(rest);
  if (program?.startsWith('.ci/') === true) return existsSync(path.join(root, program)) ? undefined : 'no such file';
  return undefined;
}

async function npmFault(words: readonly string[]): Promise<string | undefined> {
  const [command = '', ...rest] = words;
  if (['ci', 'test', 'pack', 'install'].includes(command)) return undefined;
  if (command !== 'run') return 'is no command of npm that the documentation may ask for';
  const [script = '', separator, ...args] = rest.filter((word) => word !== '--silent');
  if (!scripts.includes(script)) return `package.json has no script ${script}`;
  return script === 'rolecall' && separator === '--' && args.length > 0 ? rolecallFault(args) : undefined;
}

/** Holds the command and its options against its help. */
async function rolecallFault(words: readonly string[]): Promise<string | undefined> {
  const [command = '', subcommand = ''] = words;
  const names = ['audit', 'keys', 'people', 'report', 'sessions', 'store', 'terraform'].includes(command)
    ? [command, subcommand]
    : [command];
  const help = await helpOf(names.join(' '));
  if (help === undefined) return `rolecall has no command ${names.join(' ')}`;
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=', 1)[0] ?? '');
  const unknown = options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(help));
  return unknown.length === 0 ? undefined : `rolecall ${names.join(' ')} has no option ${unknown.join(', ')}`;
}

const helps = new Map<string, Promise<string | undefined>>();

function helpOf(command: string): Promise<string | undefined> {
  const known = helps.get(command);
  if (known !== undefined) return known;
  const help = runCommand([...command.split(' '), '--help']).then(({ stdout }) =>
    stdout.startsWith(`Usage: rolecall ${command}`) ? stdout : undefined,
  );
  helps.set(command, help);
  return help;
}
