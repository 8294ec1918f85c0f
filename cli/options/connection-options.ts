import type { Command } from 'commander';

/** The options by which a command finds the workspace and the API key. */
export function addConnectionOptions(command: Command): Command {
  return addServiceOptions(command.option('--workspace <name>', 'which Workspace, where several are declared'));
}

/** The same for a command that takes no definitions. */
export function addServiceOptions(command: Command): Command {
  return addPersonOptions(command)
    .option('--key-id <id>', 'the id of the API key (or ROLECALL_KEY_ID)')
    .option(
      '--key-secret-file <file>',
      "a file with the key's secret, or with the JSON of keys create (or ROLECALL_KEY_SECRET)",
    );
}

/** The options by which a command finds the service, where it needs no API key: a person's command has a session. */
export function addPersonOptions(command: Command): Command {
  return command
    .option('--url <url>', 'where the service is (or ROLECALL_URL)')
    .option('--ca-file <file>', 'the authorities of its certificate, in PEM (or ROLECALL_CA_FILE)')
    .option('--timeout <duration>', 'how long the service may be silent before a call is given up (default: 60s)');
}
