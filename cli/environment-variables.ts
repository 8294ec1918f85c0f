/**
 * The registry of the environment variables that `rolecall` reads, with the lines of its help. The type of `variable` lets
 * the command line read no other one; a test holds the help against docs/command-line.md.
 */
export const environmentVariables = {
  ROLECALL_URL: 'where the workspace is (--url)',
  ROLECALL_KEY_ID: 'the id of the API key (--key-id)',
  ROLECALL_KEY_SECRET: 'its secret (--key-secret-file)',
  ROLECALL_ID_TOKEN: 'or the token of a pipeline, which is exchanged for a key',
  ROLECALL_ID_TOKEN_FILE: 'or the file with it (--id-token-file)',
  ROLECALL_ID_TOKEN_AUDIENCE: 'the audience of that token (--id-token-audience)',
  ACTIONS_ID_TOKEN_REQUEST_URL: 'set by GitHub, for the same',
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'set by GitHub, for the same',
  ROLECALL_CA_FILE: 'authorities to trust, in PEM (--ca-file)',
  ROLECALL_BRANCH: 'the branch that the definitions are of, where that is not the one checked out',
  CI_COMMIT_REF_NAME: 'set by GitLab, for the same',
  GITHUB_REF_NAME: 'set by GitHub, for the same',
  ROLECALL_PLAN_KEY: 'signs saved plans',
  'ROLECALL_SECRET_<NAME>_<KEY>': 'replaces a key of a Kubernetes Secret',
  ROLECALL_DATA: 'the data folder of the service (--data)',
  ROLECALL_DATABASE_URL: 'or its PostgreSQL database (--database-url)',
  ROLECALL_STORE_KEY: 'the key of that store',
  ROLECALL_STORE_KEY_FILE: 'or the file with it',
  ROLECALL_STORE_KEY_COMMAND: 'or the command that prints it',
  ROLECALL_OIDC_FILE: 'the OpenID providers of "serve" (--oidc)',
  ROLECALL_AUDIT_SINK_AUTHORIZATION: 'the header for an HTTPS sink of "serve"',
  ROLECALL_ADMIN_ROLE: 'the role whose members are administrators, of "serve" (--admin-role)',
  ROLECALL_SMTP_URL: 'the mail server of "serve" (--smtp-url)',
  XDG_CONFIG_HOME: 'where "login" keeps sessions (default: ~/.config)',
  ROLECALL_DEBUG: 'shows the stack of an error (--debug)',
  NO_COLOR: 'no colours',
  FORCE_COLOR: 'colours even without a terminal',
} as const satisfies Readonly<Record<string, string>>;

export type EnvironmentVariable = keyof typeof environmentVariables;

/** A section of the help, without a line break at its end. */
export function environmentHelp(): string {
  const lines = Object.entries(environmentVariables).map(([name, what]) => `  ${name.padEnd(35)}${what}`);
  return ['Environment:', ...lines].join('\n');
}
