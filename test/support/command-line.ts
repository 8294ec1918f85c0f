import path from 'node:path';

/** What starts a process of the command line. */
export const commandLine = [
  process.execPath,
  '--conditions=source',
  path.resolve(import.meta.dirname, '../../cli/main.ts'),
] as const;

/** The same for a shell. */
export const commandLineInShell = commandLine.map((part) => `'${part}'`).join(' ');
