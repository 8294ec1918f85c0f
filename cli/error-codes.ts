/**
 * The registry of the codes that the command line puts into `{"error":{"code":…}}` and `{"warning":{"code":…}}`. Each code
 * is stable: programs branch on it. docs/command-line-errors.md is generated from here.
 */

interface CodeDocumentation {
  /** Condition of the error, as a sentence. */
  readonly when: string;
  /** Remedy, as a sentence. */
  readonly remedy: string;
}

const newPlan = 'Make a new plan, and have it reviewed.';
const nameStore = 'Name one with `--data` or `--database-url`.';

/** Codes of errors, by what they are about; the headings are those of the page. */
export const errorGroups = {
  Usage: {
    ERR_USAGE: {
      when: 'A command, an argument or an option does not exist, has a wrong value, or cannot be combined with another one.',
      remedy: 'Correct what the message names; `rolecall COMMAND --help` lists the options.',
    },
    ERR_NOT_FOUND: {
      when: 'There is no person, data source or role of the name that a report was asked for, or no such data source that you reach.',
      remedy: 'Correct the name; the message suggests similar ones.',
    },
    ERR_QUERY_FAILED: {
      when: 'The database refused a statement of `query`, or broke off; nothing of the transaction was kept.',
      remedy: 'Correct what the message says; `line` and `column` are in the error if the database names the place.',
    },
    ERR_ACCESS_ENDED: {
      when: 'Your access to the data source ended before or during the query; the exit code is 4.',
      remedy: 'Ask for access in the repository that declares it; `rolecall access` shows what you reach.',
    },
    ERR_DECLINED: { when: 'You did not confirm the plan. Nothing was written.', remedy: 'Run the command again.' },
    ERR_LEASE_HELD: {
      when: 'Another `apply` changes the workspace, and did not end within `--lease-timeout`. Nothing was written.',
      remedy: 'Run the command again; the message says who holds the lease, since when and until when.',
    },
    ERR_YES_NEEDED: {
      when: '`apply` had to ask for confirmation, and there is no terminal to ask on.',
      remedy: 'Add `--yes`, or apply a saved plan.',
    },
    ERR_INTERRUPTED: {
      when: 'Ctrl-C or SIGTERM ended the command; the exit code is 130.',
      remedy: 'Run the command again: it continues from where it stopped.',
    },
    ERR_DEMO: {
      when: 'A step of `rolecall demo` did not have the result that the demonstration claims.',
      remedy: 'Run it again; if it fails again, report it.',
    },
    ERR_UNEXPECTED: {
      when: 'The command line did not expect this error.',
      remedy: 'Run the command again with `--debug` and report the output.',
    },
  },
  'Workspace and API key': {
    ERR_NO_URL: {
      when: 'The command does not know where the workspace is.',
      remedy: 'Set `ROLECALL_URL`, give `--url`, or declare `url` in a Workspace.',
    },
    ERR_URL: {
      when: 'The URL of the workspace is malformed.',
      remedy: 'Correct `ROLECALL_URL`, `--url` or `url`, whichever the message names.',
    },
    ERR_TWO_ADDRESSES: {
      when: '`--workspace` chooses a Workspace, and `ROLECALL_URL` leads to another one.',
      remedy: 'Unset `ROLECALL_URL`, or give `--url`.',
    },
    ERR_NO_SUCH_WORKSPACE: {
      when: 'No Workspace has the name that `--workspace` gives.',
      remedy: 'Correct the name; the message lists the declared ones.',
    },
    ERR_SEVERAL_WORKSPACES: {
      when: 'The definitions declare several Workspaces, or one Workspace twice.',
      remedy: 'Choose one with `--workspace`; give the files of one only.',
    },
    ERR_NO_CREDENTIALS: {
      when: 'The API key, or a part of it, is missing.',
      remedy:
        'Set `ROLECALL_KEY_ID` and `ROLECALL_KEY_SECRET`, declare `credentialsFrom` in a Workspace, or give the token of a pipeline with `--id-token-file`.',
    },
    ERR_KEY_FORM: {
      when: 'The id or the secret of the API key contains something that no key has, such as quotes.',
      remedy: 'Correct the variable, option or file that the message names.',
    },
    ERR_SIGNED_OUT: {
      when: 'There is no session for this service, or it has ended.',
      remedy: 'Run `rolecall login`.',
    },
    ERR_NO_GATEWAY: {
      when: '`connect` cannot open a client: the service knows of no gateway for the type of the data source, there is none for that type (SQLite), or the client (psql, mysql or mariadb) is not installed.',
      remedy:
        'Start the service with `--gateway-postgresql`, `--gateway-mysql` or `--gateway-mariadb`, as the data source needs, or install what the message names. For SQLite, use `rolecall query` or the page.',
    },
    ERR_SESSIONS_FILE: {
      when: 'The file in which `login` keeps sessions is damaged.',
      remedy: 'Remove the file that the message names, and run `rolecall login`.',
    },
    ERR_ID_TOKEN: {
      when: 'There is no token of the pipeline to exchange.',
      remedy:
        'Set `ROLECALL_ID_TOKEN` or give `--id-token-file`, or allow the GitHub job to ask for one with `id-token: write`.',
    },
    ERR_ROLECALL_ID_TOKEN: {
      when: 'The token of the pipeline cannot be read or is no token, it is for another audience than the service, or it was exchanged before and none has taken its place.',
      remedy:
        'Correct what the message names. If the service expects another audience than its URL, give it with `--id-token-audience`. For a run that outlasts its key, have the platform write new tokens into the file.',
    },
    ERR_TWO_IDENTITIES: {
      when: 'An API key and a token that takes its place are both given, by options or by variables.',
      remedy: 'Remove one of the two, as the message names them; an option counts before a variable.',
    },
    ERR_ROLECALL_PROBLEM: {
      when: 'The service refused a request. The message has its problem code.',
      remedy: 'Look the problem code up in [Errors of the service](errors.md).',
    },
    ERR_ROLECALL_NETWORK: {
      when: 'The service could not be reached, its certificate is not trusted, or the connection was cut.',
      remedy: 'Check the URL that the message names; `rolecall doctor` finds the cause.',
    },
    ERR_ROLECALL_TIMEOUT: {
      when: 'The service did not answer in time.',
      remedy: 'Check the service, or allow more time with `--timeout`.',
    },
    ERR_ROLECALL_UNEXPECTED_ANSWER: {
      when: 'What answered is not a workspace service of this version: a proxy, a sign-in page, or another service.',
      remedy: 'Check the URL; `rolecall doctor` shows what answers.',
    },
    ERR_ROLECALL_REDIRECT: {
      when: 'The service answered with a redirect, which is not followed, so that the API key goes nowhere else.',
      remedy: 'Use the URL that the message names, if you trust it.',
    },
    ERR_ROLECALL_INVALID_REQUEST: {
      when: 'A request could not be written as HTTP, such as one for an empty identifier.',
      remedy: 'Correct the field that the message names.',
    },
    ERR_ROLECALL_OPTIONS: {
      when: 'A setting of the connection is wrong, such as a CA file without a certificate.',
      remedy: 'Correct the setting that the message names.',
    },
    ERR_ROLECALL_ABORTED: { when: 'A request was given up because the command ended.', remedy: 'Run it again.' },
    ERR_ROLECALL_CLOSED: { when: 'A request was not sent because the command ended.', remedy: 'Run it again.' },
    ERR_WORKSPACE_CHANGED: {
      when: 'The workspace kept changing while `export` read it.',
      remedy: 'Run it again when fewer people are editing.',
    },
  },
  'Definitions and plans': {
    ERR_INVALID_DEFINITIONS: {
      when: 'The definitions have errors. `problems` lists each with file, line, column and [code](definition-problems.md).',
      remedy: 'Correct the definitions.',
    },
    ERR_WINDOW_PAST: {
      when: '`anchor` would write a start with which a permission has already ended.',
      remedy: 'Choose a later `--starts-at`, or a longer duration.',
    },
    ERR_PLAN_REFUSED: {
      when: 'The plan, or a part of it, breaks a rail. `rails` names it. The rest was applied, if the message says so.',
      remedy: 'Do what the refusal in the plan says ([rails](concepts.md#rails-and-overrides)).',
    },
    ERR_PLAN_OUTDATED: {
      when: 'The workspace changed after the plan was made, or a permission in it has ended. Nothing was written.',
      remedy: newPlan,
    },
    ERR_PLAN_FLAG: {
      when: 'An option that shapes a plan was given together with a saved plan.',
      remedy: 'Give the option to `plan`.',
    },
    ERR_PLAN_OTHER_WORKSPACE: {
      when: 'The saved plan was made for another workspace.',
      remedy: 'Make a plan for each workspace.',
    },
    ERR_PLAN_UNFIT: {
      when: 'The saved plan was made from definitions of another repository, branch or folder than the runs before.',
      remedy: 'Plan where the definitions are applied from, such as on the branch main.',
    },
    ERR_PLAN_AND_DEFINITIONS: {
      when: 'A saved plan and other paths were given together.',
      remedy: 'Give the plan alone, or the definitions without it.',
    },
    ERR_PLAN_IS_MADE: { when: '`plan` was given a saved plan.', remedy: 'Use `show` to print it, `apply` to run it.' },
    ERR_PLAN_FORMAT: {
      when: 'The file is not a saved plan.',
      remedy: 'Name the file that `plan --out` wrote.',
    },
    ERR_PLAN_NOT_JSON: { when: 'The saved plan is damaged or cut off.', remedy: newPlan },
    ERR_PLAN_PRINTED: {
      when: 'The file holds the output of `plan --format json`, which cannot be applied.',
      remedy: 'Save the plan with `plan --out`.',
    },
    ERR_PLAN_VERSION: {
      when: 'Another version of Rolecall saved the plan.',
      remedy: 'Use that version, or make a new plan.',
    },
    ERR_PLAN_EDITED: { when: 'The saved plan was changed after it was made.', remedy: newPlan },
    ERR_PLAN_SIGNATURE: {
      when: 'The saved plan is not signed with this `ROLECALL_PLAN_KEY`, or is signed and the variable is not set.',
      remedy: 'Set the key that the plan was signed with, or make a new plan.',
    },
    ERR_PLAN_KEY: {
      when: '`ROLECALL_PLAN_KEY` is too short.',
      remedy: 'Set it to what `openssl rand -hex 32` prints.',
    },
    ERR_PLAN_SECRETS: {
      when: 'A password that the saved plan needs is not available.',
      remedy: 'Set the variable or write the file that the message names.',
    },
  },
  Files: {
    ERR_SYSTEM: {
      when: 'The system refused to read or write a file. `reason` has its code, such as `ENOENT` or `EACCES`.',
      remedy: 'Correct the path or its permissions.',
    },
    ERR_OUT: {
      when: '`--out` cannot be written, or names a file that must not be replaced.',
      remedy: 'Give another name, or remove the file.',
    },
    ERR_OUTPUT: {
      when: 'The output could not be written completely, for example because the disk is full. The command itself is done.',
      remedy: 'Correct the cause; run a command that only reads again.',
    },
    ERR_FILES_EXIST: {
      when: 'The folder already contains definitions, which would be replaced. Nothing was written.',
      remedy: 'Name another folder, or use `--force` where the command has it.',
    },
    ERR_NO_FOLDER: { when: 'A file has the name of the folder to write into.', remedy: 'Name another folder.' },
    ERR_NOT_A_FILE: {
      when: 'The path leads to a pipe or a device, which cannot be rewritten.',
      remedy: 'Give the text on standard input (`-`).',
    },
    ERR_FILE_CHANGED: {
      when: 'Another program changed the file while the command ran. The file was left as it is.',
      remedy: 'Run the command again.',
    },
    ERR_NO_EXAMPLE: { when: 'This installation does not contain the examples.', remedy: 'Install Rolecall again.' },
    ERR_NO_PROVIDER: {
      when: 'The executable of the Terraform provider is missing.',
      remedy: 'Correct `--from`, or build the provider as the message says.',
    },
  },
  'The service and its store': {
    ERR_LISTEN: {
      when: 'The service cannot listen on the address. `reason` has the code of the system, such as `EADDRINUSE`.',
      remedy: 'Choose another `--port` or `--host`.',
    },
    ERR_TLS_CERTIFICATE: {
      when: 'The file of `--tls-cert` cannot be read, or contains no certificate.',
      remedy: 'Name a file with a certificate in PEM.',
    },
    ERR_TLS_KEY: {
      when: 'The file of `--tls-key` cannot be read, or is not the key of the certificate.',
      remedy: 'Name the file with the private key in PEM.',
    },
    ERR_OIDC: {
      when: 'The file of `--oidc` has an error, or a secret that it names is not there.',
      remedy: 'Correct the line that the message names ([people](people.md#openid-providers)).',
    },
    ERR_TRUST: {
      when: 'The file of `--trust` has an error.',
      remedy: 'Correct the line that the message names ([the service](service.md)).',
    },
    ERR_MAIL: {
      when: '`--smtp-url` is no address of a mail server, or `--smtp-from` is missing or no mail address.',
      remedy: 'Correct it as the message says.',
    },
    ERR_AUDIT_SINK: { when: '`--audit-sink` names no usable receiver.', remedy: 'Correct it as the message says.' },
    ERR_NO_DATA: { when: 'The data folder does not exist.', remedy: 'Correct `--data`.' },
    ERR_NO_STORE: { when: 'The data folder contains no store.', remedy: 'Correct `--data`.' },
    ERR_STORE_LOCATION: { when: 'No store is named, or more than one.', remedy: nameStore },
    ERR_STORE_URL: { when: 'The URL of the database is malformed.', remedy: 'Correct `--database-url`.' },
    ERR_STORE_UNAVAILABLE: {
      when: 'The store cannot be read or written: the disk is full, the database is away, or the file is damaged.',
      remedy: 'Remove the cause that the message names, and run the command again.',
    },
    ERR_STORE_VERSION: {
      when: 'A newer version of Rolecall made the store.',
      remedy: 'Use that version, or restore a backup.',
    },
    ERR_STORE_LOCKED: {
      when: 'Another process serves the same folder, or changes the key of its store.',
      remedy: 'Stop that process first, or wait until it has ended.',
    },
    ERR_STORE_KEY: {
      when: 'The key of the store is missing or malformed, or it is not the key of this store.',
      remedy: 'Give the right key ([the key of the store](service.md#the-key-of-the-store)).',
    },
    ERR_STORE_KEY_CHANGED: {
      when: "The store's key was changed, and this process does not find the new one.",
      remedy: 'Give the new key ([changing the key](service.md#changing-the-key)).',
    },
    ERR_REKEY: {
      when: "The source of the store's key has only one key, so the key cannot be changed.",
      remedy: 'Let the source have the old and the new key ([changing the key](service.md#changing-the-key)).',
    },
    ERR_STORE_UNIQUE: { when: 'A value must be unique and is already in use.', remedy: 'Choose another value.' },
    ERR_AUDIT_TRAIL: {
      when: 'The audit trail was changed in the database.',
      remedy: 'Run `rolecall audit verify` ([the audit trail](audit.md)).',
    },
    ERR_CHECKPOINT: {
      when: 'The checkpoint cannot be read, or cannot be used with this trail.',
      remedy: 'Name a file with the output of `rolecall audit checkpoint`.',
    },
    ERR_SEED: { when: 'The file of `seed` has an error.', remedy: 'Correct the entry that the message names.' },
    ERR_SEED_YAML: { when: 'The file of `seed` is not YAML.', remedy: 'Correct the line that the message names.' },
    ERR_KEY_NOT_FOUND: {
      when: 'No API key has this id.',
      remedy: 'Use an id that `rolecall keys list` shows.',
    },
    ERR_KEY_REVOKED: { when: 'The API key is revoked and cannot be changed.', remedy: 'Make a new key.' },
    ERR_KEY_ALTERED: {
      when: 'The row of the API key was changed in the database.',
      remedy: 'Revoke the key and make a new one.',
    },
    ERR_KEY_SCOPE: { when: 'There is no such scope.', remedy: 'Choose `read`, `write` or `admin`.' },
    ERR_KEY_EXPIRY: { when: 'The API key would already have expired.', remedy: 'Choose a later `--expires`.' },
    ERR_KEY_NAME: { when: 'The name of the API key is not allowed.', remedy: 'Choose another name.' },
    ERR_KEY_DATA_SOURCE: {
      when: 'A data source that the API key is to be limited to does not exist, or there are too many.',
      remedy: 'Correct `--data-source`.',
    },
    ERR_BACKUP_NO_STORE: { when: 'The data folder contains no store to back up.', remedy: 'Correct `--data`.' },
    ERR_BACKUP_NO_FOLDER: { when: 'The folder of `--out` does not exist.', remedy: 'Create it, or correct `--out`.' },
    ERR_BACKUP_EXISTS: { when: 'The file of `--out` exists.', remedy: 'Choose another name.' },
    ERR_RESTORE_NO_FILE: { when: 'The backup file does not exist.', remedy: 'Correct the path.' },
    ERR_RESTORE_NOT_EMPTY: { when: 'The folder to restore into is not empty.', remedy: 'Name an empty folder.' },
    ERR_RESTORE_NO_BACKUP: {
      when: 'The file was not made by `rolecall backup`.',
      remedy: 'Name a file that `rolecall backup` wrote.',
    },
  },
  'The operator': {
    ERR_KUBECONFIG: {
      when: 'The operator found no Kubernetes cluster, or its kubeconfig cannot be used.',
      remedy: 'Correct `--kubeconfig` or `--context`.',
    },
    ERR_KUBERNETES_STATUS: {
      when: 'The API server refused a request of the operator.',
      remedy: 'Give the operator the rights that [it needs](kubernetes/rbac.md).',
    },
    ERR_KUBERNETES_DISCONNECTED: {
      when: 'The API server cannot be reached.',
      remedy: 'Check the address of the cluster and the network.',
    },
    ERR_LEADERSHIP_LOST: {
      when: 'Another replica took over while this one could not renew its Lease.',
      remedy: 'Start the operator again; Kubernetes does that by itself.',
    },
  },
} as const satisfies Record<string, Record<string, CodeDocumentation>>;

type Groups = typeof errorGroups;

export type ErrorCode = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

/** Codes of warnings. Warnings about definitions have the codes of docs/definition-problems.md. */
export const warningCodes = {
  plaintext_url: {
    when: 'The URL is plain HTTP to another machine, so the API key and passwords are sent unencrypted.',
    remedy: 'Use https.',
  },
  operator: { when: 'A warning in the log of `rolecall operator`.', remedy: 'See the message.' },
  retrying: { when: 'A request failed and is sent again.', remedy: 'Wait; the message names the cause.' },
  lease_held: {
    when: 'Another `apply` changes the workspace, and this one waits for it.',
    remedy: 'Wait, or set `--lease-timeout`.',
  },
  clock_differs: {
    when: "The service's clock and this machine's are 30 seconds apart or more. The plan goes by the service's.",
    remedy: 'Set both by NTP.',
  },
  lease_lost: {
    when: 'This `apply` did not renew its lease in time, and another one has taken it over; it makes no further call.',
    remedy: 'Run the command again once the other one has ended.',
  },
  interrupted: {
    when: 'Ctrl-C or SIGTERM was received, and requests that write are being finished.',
    remedy: 'Wait, or interrupt again to end at once.',
  },
  unreadable_uri: {
    when: 'The connection URI of a data source was changed in the database before `store rekey`.',
    remedy: 'Delete the data source, and declare it again.',
  },
  older_entries: { when: '`audit list` shows only the newest entries.', remedy: 'Raise `--limit`.' },
  new_store: {
    when: '`keys create` made a new store, because the folder had none.',
    remedy: 'If you meant an existing store, correct `--data`.',
  },
  without_trail: {
    when: '`report access --at` asks for a past moment, and the key may not read the audit trail, or the service has none.',
    remedy: 'Use an API key of scope admin.',
  },
  left_out: { when: '`export` left out an object that definitions cannot describe.', remedy: 'See the message.' },
  connections_denied: {
    when: '`export` could not read connections, so it declared no data sources.',
    remedy: 'On a service without snapshots, use an API key of scope admin.',
  },
  other_definitions: {
    when: 'The folder also contains definitions that this export did not write.',
    remedy: 'Remove the outdated ones.',
  },
} as const satisfies Record<string, CodeDocumentation>;

export type WarningCode = keyof typeof warningCodes;

/** True if an error of another part of Rolecall has a registered code, so that users may see it unchanged. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.values(errorGroups).some((group) => Object.hasOwn(group, code));
}
