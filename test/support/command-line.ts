import path from 'node:path';

/** Says where the bundle is that a run has made; absent: the command line is started from its sources. */
export const bundleVariable = 'ROLECALL_TEST_COMMAND_LINE';

const main = path.resolve(import.meta.dirname, '../../cli/main.ts');

/** The command line, as what starts a process of it. */
export const commandLine = [process.execPath, '--conditions=source', process.env[bundleVariable] ?? main] as const;

/** The same for a shell. */
export const commandLineInShell = commandLine.map((part) => `'${part}'`).join(' ');

/** The same from its sources, whatever else a run has made: for what tells of modules and their places. */
export const commandLineSources = [process.execPath, '--conditions=source', main] as const;
