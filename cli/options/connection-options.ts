import type { Command } from 'commander';

/** The options by which a command finds the workspace and the API key. */
export function addConnectionOptions(command: Command): Command {
  return addServiceOptions(command.option('--workspace <name>', 'which Workspace, where several are declared'));
}

/** The same for a command that takes no definitions. */
export function addServiceOptions(command: Command): Command {
  return addTokenOptions(
    addPersonOptions(command)
      .option('--key-id <id>', 'the id of the API key (or ROLECALL_KEY_ID)')
      .option(
        '--key-secret-file <file>',
        "a file with the key's secret, or with the JSON of keys create (or ROLECALL_KEY_SECRET)",
      ),
  );
}

/** The options by which a command finds the token of a platform that is exchanged for a key. */
export function addTokenOptions(command: Command): Command {
  return command
    .option(
      '--id-token-file <file>',
      "instead of a key, a file with the token of a pipeline's platform (or ROLECALL_ID_TOKEN_FILE; ROLECALL_ID_TOKEN has the token itself)",
    )
    .option(
      '--id-token-audience <audience>',
      'the audience of the token; if it is given alone, GitHub is asked for a token (or ROLECALL_ID_TOKEN_AUDIENCE; default: the url)',
    );
}

/** The options by which a command finds the service, where it needs no API key: a person's command has a session. */
export function addPersonOptions(command: Command): Command {
  return command
    .option('--url <url>', 'where the service is (or ROLECALL_URL)')
    .option('--ca-file <file>', 'the authorities of its certificate, in PEM (or ROLECALL_CA_FILE)')
    .option('--timeout <duration>', 'how long the service may be silent before a call is given up (default: 60s)');
}
