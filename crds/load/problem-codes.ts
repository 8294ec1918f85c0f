/** The registry of problems that definitions can have. docs/definition-problems.md is generated from it. */

interface ProblemDocumentation {
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

export const problemCodes = {
  file_not_found: {
    title: 'A path does not exist',
    meaning: 'A file or folder that the command line names does not exist, or is a link to one that does not.',
    remedy: 'Correct the path or the link, or remove it.',
  },
  file_unreadable: {
    title: 'A file cannot be read',
    meaning: 'The file exists but could not be opened or read, for example because of its permissions.',
    remedy: 'Make the file readable for the user that runs Rolecall.',
  },
  file_changed: {
    title: 'A file changed while it was read',
    meaning: 'Another program wrote to the file at the same time, so the text may be part old and part new.',
    remedy: 'Run the command again.',
  },
  file_too_large: {
    title: 'A file is too large',
    meaning: 'Rolecall does not read files over 64 MiB.',
    remedy: 'Split the file.',
  },
  file_encoding: {
    title: 'A file is not UTF-8',
    meaning:
      'The file has bytes that are not UTF-8, a NUL byte, or a byte order mark that is not at its beginning. The problem names the first.',
    remedy: 'Save the file as UTF-8, and remove the mark.',
  },
  nothing_found: {
    title: 'Nothing was found',
    meaning:
      'A folder contains no .yaml, .yml or .json file. Folders named node_modules and names that begin with a dot are skipped.',
    remedy: 'Name the folder with the definitions, or name files with other extensions one by one.',
  },
  passed_over: {
    title: 'A file that looks like a definition is not read',
    meaning:
      'A warning: a file of a folder has the apiVersion of Rolecall, but its name does not end in .yaml, .yml or .json, or begins with a dot. Nothing that it declares counts, and what an exact collection has of it is removed.',
    remedy: 'Rename the file or name it on its own, if it is to be read; move it elsewhere if it is not.',
  },
  nothing_declared: {
    title: 'No definitions were found',
    meaning: 'No document in the files belongs to Rolecall. They are probably the wrong files.',
    remedy: 'Name the folder with the definitions, or the files themselves.',
  },
  merge_conflict: {
    title: 'A file has Git conflict markers',
    meaning:
      'A merge, a rebase or a cherry-pick left lines that begin with <<<<<<<, |||||||, ======= or >>>>>>>. The rest of the file is not checked.',
    remedy: 'Keep the lines that you want from both sides, and remove the markers.',
  },
  separator_missing: {
    title: 'A line of --- is missing',
    meaning: 'A second definition begins in the same document. The rest of that document is not checked.',
    remedy: 'Write a line of --- before each definition except the first.',
  },
  yaml_syntax: {
    title: 'The text is not YAML',
    meaning: 'The YAML parser does not understand a document. The rest of that document is not checked.',
    remedy: 'Correct the text at the position that the problem names.',
  },
  yaml_tab: {
    title: 'A tab is used as indentation',
    meaning: 'YAML does not allow tabs for indentation.',
    remedy: 'Indent with spaces.',
  },
  yaml_duplicate_key: {
    title: 'A mapping has the same key twice',
    meaning: 'YAML would silently keep only one of them.',
    remedy: 'Remove one of the two.',
  },
  yaml_alias: {
    title: 'Aliases are refused',
    meaning: 'An alias names an anchor that does not exist, or aliases of aliases expand to too many nodes.',
    remedy: 'Define the anchor before the alias; replace heavily nested aliases by their values.',
  },
  yaml_merge: {
    title: 'A merge is invalid',
    meaning:
      'The value of << must be a mapping, an alias of one, or a list of those, and merges may copy only a limited number of fields.',
    remedy: 'Merge a mapping, as in <<: *defaults; write out fields that many merges copy.',
  },
  yaml_nesting: {
    title: 'The text is nested too deeply',
    meaning: 'Definitions need only a few levels of nesting; this file has more than the parser supports.',
    remedy: 'Flatten the value, or remove it.',
  },
  document_too_large: {
    title: 'A document is too large',
    meaning:
      'One document (the part between two lines of ---) has more than 1,000,000 words and marks. The rest of the file was not read.',
    remedy: 'Separate the definitions with lines of ---, or split the file.',
  },
  problems_many: {
    title: 'There are too many errors',
    meaning: 'Rolecall stops after 10,000 errors, since most of them probably have one cause.',
    remedy: 'Correct the errors shown, and check again.',
  },
  document_type: {
    title: 'A document is not a mapping',
    meaning: 'A definition is a mapping with apiVersion, kind, metadata and spec, not a list or a single value.',
    remedy: 'Write the definition as a mapping; separate several definitions with a line of ---.',
  },
  api_version_missing: {
    title: 'apiVersion is missing',
    meaning: 'A warning: the definition is loaded, but kubectl refuses a document without apiVersion.',
    remedy: 'Add apiVersion: rolecall.dev/v1alpha1.',
  },
  api_version: {
    title: 'apiVersion is wrong',
    meaning: 'The document is meant for Rolecall, but Rolecall does not support its apiVersion.',
    remedy: 'Write apiVersion: rolecall.dev/v1alpha1.',
  },
  kind_missing: {
    title: 'kind is missing',
    meaning: 'The kind says what the document declares.',
    remedy: 'Add kind, with one of the kinds of Rolecall.',
  },
  kind_unknown: {
    title: 'kind is unknown',
    meaning: 'The document belongs to Rolecall, but its kind does not exist.',
    remedy: 'Write one of the kinds that the problem lists.',
  },
  name_invalid: {
    title: 'metadata.name is not a Kubernetes name',
    meaning: 'Names are lower-case letters, digits, dashes and dots, at most 253 characters (DNS-1123 subdomain).',
    remedy: 'Choose such a name; the name in the workspace belongs into the spec and may be any text.',
  },
  annotation_unknown: {
    title: 'An annotation of rolecall.dev is unknown',
    meaning:
      'You may use any annotation of other groups, but an unknown one of rolecall.dev would silently have no effect.',
    remedy: 'Write one of the annotations that the problem lists, or remove it.',
  },
  annotation_value: {
    title: 'An annotation has a wrong value',
    meaning: 'Annotations of rolecall.dev take the text "true" or "false".',
    remedy: 'Write "true" or "false", with the quotation marks.',
  },
  annotation_without_effect: {
    title: 'An annotation has no effect',
    meaning:
      'A warning: an annotation of rolecall.dev has no effect on this kind, such as ended on a Role, or has none any more.',
    remedy: 'Remove it, or move it to the right definition.',
  },
  field_unknown: {
    title: 'A field is unknown',
    meaning: 'The kind has no such field, so its value would have no effect.',
    remedy: 'Write the field that the problem suggests, or remove it.',
  },
  field_missing: {
    title: 'A field is missing',
    meaning: 'The kind requires the field.',
    remedy: 'Add the field.',
  },
  field_type: {
    title: 'A field has a value of the wrong type',
    meaning: 'For example a number or an empty value where a text is expected.',
    remedy: 'Write a value of the type that the problem names; put numbers that are meant as text in quotation marks.',
  },
  field_value: {
    title: 'A field has a value that is not allowed',
    meaning: 'The type is right, but the value is too long, out of range, malformed or not one of the choices.',
    remedy: 'Write a value that the problem describes.',
  },
  fields_exclusive: {
    title: 'Exactly one of several fields is needed',
    meaning: 'None of the fields is given, or more than one.',
    remedy: 'Keep exactly one of them.',
  },
  item_duplicate: {
    title: 'A list names something twice',
    meaning:
      'The list contains the same item twice, possibly once by its declared name and once by its name in the workspace.',
    remedy: 'Remove one of the two.',
  },
  password_in_uri: {
    title: 'A connection URI contains a password',
    meaning: 'Definitions live in Git, where a password would stay readable for ever.',
    remedy: 'Remove the password from the URI, use passwordFrom, and change the password if it was ever committed.',
  },
  window_invalid: {
    title: 'The window of a permission is impossible',
    meaning:
      'It ends at or before its start, is not a whole number of seconds, or is longer than 3,153,600,000 seconds.',
    remedy: 'Correct startsAt, expiresAt or duration.',
  },
  reference_close: {
    title: 'A reference is close to a declared name',
    meaning:
      'A warning: nothing declared has that name, so Rolecall looks it up in the workspace. It may be a typing error.',
    remedy: 'Correct the reference if you mean the declared object.',
  },
  reference_ambiguous: {
    title: 'A reference could mean two objects',
    meaning:
      'A warning: the reference is the metadata.name of one declared object and the workspace name of another. It refers to the first.',
    remedy: 'Give each object a metadata.name that no other object uses as its name in the workspace.',
  },
  selector_empty: {
    title: 'A selector selects nothing',
    meaning:
      'A warning: no declared DataSource of the workspace has all labels of a dataSourceSelector, so the role reaches only what it lists. Data sources that are only in the workspace have no labels. An error, if no DataSource is declared at all: their files are probably missing.',
    remedy: 'Correct the labels, or name the files that declare the data sources too.',
  },
  role_undeclared: {
    title: 'A contained role is not declared',
    meaning:
      'The roles of a Role name one that no definition declares. Its data sources are found in definitions only, so what it gives is not known. Its file is probably missing.',
    remedy: 'Declare the role, or name the file that declares it too.',
  },
  role_cycle: {
    title: 'Roles contain each other',
    meaning: 'A role contains itself, directly or through others. The problem names each role of the cycle.',
    remedy: 'Take one of the roles out of the one before it.',
  },
  roles_many: {
    title: 'A role contains too many roles',
    meaning: 'A role contains more than 100 others, with those within them.',
    remedy: 'Select data sources by label with dataSourceSelector instead.',
  },
  role_unlisted: {
    title: 'A contained role gives nothing that is declared',
    meaning:
      'A warning: no definition says which data sources a contained role has. What people add to it in the workspace does not count.',
    remedy: 'List the data sources of the contained role.',
  },
  look_alike: {
    title: 'Two names look alike',
    meaning:
      'A warning: two people, roles or data sources have different names that look the same, such as with a Cyrillic а in place of a Latin one. To the workspace they are two objects.',
    remedy:
      'If you mean one object, write both names with the same letters; if you mean two, choose names that people can tell apart.',
  },
  tls_unchecked: {
    title: 'A data source is not protected by checked TLS',
    meaning:
      "One warning for all data sources: the connection leaves this machine without TLS, or the server's certificate is not checked. An attacker between the service and the database can read or change the traffic.",
    remedy:
      'Add sslmode=verify-full (PostgreSQL) or ssl-mode=verify_identity (MySQL, MariaDB) to the URI. Set NODE_EXTRA_CA_CERTS for the service if the certificate comes from a private authority.',
  },
  workspace_unknown: {
    title: 'workspaceRef names no declared Workspace',
    meaning: 'Workspaces are declared, but none with that name.',
    remedy: 'Correct workspaceRef, or declare the Workspace.',
  },
  workspace_ambiguous: {
    title: 'workspaceRef is needed',
    meaning: 'Several Workspaces are declared, and the definition does not say which one it belongs to.',
    remedy: 'Add workspaceRef with one of the Workspaces that the problem lists.',
  },
  definition_duplicate: {
    title: 'A definition appears twice',
    meaning: 'Two definitions have the same kind, namespace and metadata.name, so one would overwrite the other.',
    remedy: 'Rename or remove one of the two.',
  },
  object_duplicate: {
    title: 'Two definitions declare the same object of the workspace',
    meaning: 'For example two Persons with one username. They would keep undoing each other.',
    remedy: 'Remove one of the two, or change the value that they share.',
  },
  text_file: {
    title: 'A file that a definition names cannot be used',
    meaning:
      'The file of textFrom or passwordFrom is missing, unreadable, too large or not UTF-8. Paths are relative to the folder of the definition.',
    remedy: 'Correct the path or the file.',
  },
  secret_unavailable: {
    title: 'A secret is not available',
    meaning:
      'A password or an API key comes from a variable that is not set, or from a file that is empty or cannot be read. On the command line, a variable also replaces each Kubernetes Secret. Only plan and apply look for secrets.',
    remedy: 'Set the variable that the problem names, or correct the file.',
  },
  not_on_command_line: {
    title: 'The command line does not support a field',
    meaning:
      'A duration without a start needs a record of when it was first granted, which only the operator and Terraform keep. It is a warning of validate and an error of plan and apply.',
    remedy: 'Add startsAt, for example with `rolecall anchor`, or write expiresAt instead of duration.',
  },
  not_in_terraform: {
    title: 'Terraform does not support a field',
    meaning:
      "The definition needs something that Terraform resources cannot do, such as an object that outlives its definition (deletionPolicy: Orphan), or something from outside, such as a data source's password. Only the CDKTF constructs and the provider's function report it.",
    remedy: 'Follow the remedy of the problem, or do not manage the definition with Terraform.',
  },
  config_map: {
    title: 'A ConfigMap or its key was not found',
    meaning: 'textFrom.configMapKeyRef takes its text from a ConfigMap among the files that are read.',
    remedy: "Name the ConfigMap's file too, correct the reference, or use textFrom.file.",
  },
} as const satisfies Record<string, ProblemDocumentation>;

export type ProblemCode = keyof typeof problemCodes;
