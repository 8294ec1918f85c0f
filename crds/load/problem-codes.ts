/** Every problem that definitions can have, with what it means and what to do. docs/definition-problems.md is written from it. */

interface ProblemDocumentation {
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

export const problemCodes = {
  file_not_found: {
    title: 'A path does not exist',
    meaning: 'A file or folder that was named on the command line is not there.',
    remedy: 'Correct the path, or leave it out.',
  },
  file_unreadable: {
    title: 'A file cannot be read',
    meaning: 'The file exists but could not be opened or read, for example because of its permissions.',
    remedy: 'Make the file readable for the user that runs Rolecall.',
  },
  file_changed: {
    title: 'A file changed while it was read',
    meaning: 'Another program wrote to the file at the same time, so the text may be half old and half new.',
    remedy: 'Run the command again.',
  },
  file_too_large: {
    title: 'A file is too large',
    meaning: 'Files over 64 MiB are refused, before they are read.',
    remedy: 'Split the file.',
  },
  file_encoding: {
    title: 'A file is not UTF-8',
    meaning:
      'The file has bytes that are not UTF-8, a NUL byte, or a byte order mark in its middle. The problem names the first.',
    remedy: 'Save the file as UTF-8; remove the mark.',
  },
  nothing_found: {
    title: 'Nothing was found',
    meaning:
      'A folder holds no .yaml or .yml file. Folders named node_modules and names that begin with a dot are skipped.',
    remedy: 'Name the folder that holds the definitions, or name files of other endings one by one.',
  },
  nothing_declared: {
    title: 'No definitions were found',
    meaning: 'The files were read, and no document in them belongs to Rolecall. They are probably the wrong files.',
    remedy: 'Name the folder that holds the definitions, or the files themselves.',
  },
  merge_conflict: {
    title: 'A file has conflict markers of Git',
    meaning:
      'Lines that begin with <<<<<<<, |||||||, ======= or >>>>>>> were left by a merge, a rebase or a cherry-pick. Nothing else of the file is checked.',
    remedy: 'Keep the lines that you want of both sides, and remove the markers.',
  },
  separator_missing: {
    title: 'A line of --- is missing',
    meaning: 'A second definition begins in the same document. Nothing else of that document is checked.',
    remedy: 'Write a line of --- before each definition but the first.',
  },
  yaml_syntax: {
    title: 'The text is not YAML',
    meaning: 'The YAML parser could not make sense of a document. Nothing else of that document is checked.',
    remedy: 'Correct the text at the position that the problem names.',
  },
  yaml_tab: {
    title: 'A tab is used as indentation',
    meaning: 'YAML does not allow tabs as indentation.',
    remedy: 'Indent with spaces.',
  },
  yaml_duplicate_key: {
    title: 'A key stands twice in one mapping',
    meaning: 'YAML would silently keep only one of them.',
    remedy: 'Remove one of the two.',
  },
  yaml_alias: {
    title: 'Aliases are refused',
    meaning: 'An alias names an anchor that does not exist, or aliases of aliases expand to too many nodes.',
    remedy: 'Define the anchor before the alias; write out what heavily nested aliases stand for.',
  },
  yaml_merge: {
    title: 'A merge cannot be made',
    meaning:
      'The value of << must be a mapping, an alias of one, or a list of those; merges that copy too many fields are refused.',
    remedy: 'Merge a mapping, as in <<: *defaults; write out the fields that many merges copy.',
  },
  yaml_nesting: {
    title: 'The text is nested too deeply',
    meaning: 'No definition nests more than a few levels; this file nests so many that it cannot be parsed.',
    remedy: 'Flatten the value, or remove it.',
  },
  document_too_large: {
    title: 'A document is too large',
    meaning:
      'One document (the part between two lines of ---) has more than 1,000,000 words and marks. What follows it in the file was not read.',
    remedy: 'Separate the definitions with lines of ---, or split the file.',
  },
  problems_many: {
    title: 'There are too many errors',
    meaning: 'After 10,000 errors nothing more is read: most of them will have one cause.',
    remedy: 'Correct those that are shown, and check again.',
  },
  document_type: {
    title: 'A document is not a mapping',
    meaning: 'A definition is a mapping with apiVersion, kind, metadata and spec. A list or a single value is none.',
    remedy: 'Write the definition as a mapping; separate several definitions with a line of ---.',
  },
  api_version_missing: {
    title: 'apiVersion is missing',
    meaning: 'A warning: the definition is loaded, but kubectl refuses a document without apiVersion.',
    remedy: 'Add apiVersion: rolecall.dev/v1alpha1.',
  },
  api_version: {
    title: 'apiVersion is wrong',
    meaning: 'The document is meant for Rolecall, but its apiVersion is not the one that Rolecall has.',
    remedy: 'Write apiVersion: rolecall.dev/v1alpha1.',
  },
  kind_missing: {
    title: 'kind is missing',
    meaning: 'The kind says what the document declares.',
    remedy: 'Add kind, one of the kinds of Rolecall.',
  },
  kind_unknown: {
    title: 'kind is unknown',
    meaning: 'The document belongs to Rolecall, but there is no such kind.',
    remedy: 'Write one of the kinds that the problem lists.',
  },
  name_invalid: {
    title: 'metadata.name is not a Kubernetes name',
    meaning: 'Names are lower-case letters, digits, dashes and dots, at most 253 characters (DNS-1123 subdomain).',
    remedy: 'Choose such a name; the name in the workspace goes into the spec and may be any text.',
  },
  annotation_unknown: {
    title: 'An annotation of rolecall.dev is unknown',
    meaning: 'Annotations of other groups are free, but one of rolecall.dev that has no effect is a trap.',
    remedy: 'Write one of the annotations that the problem lists, or remove it.',
  },
  annotation_value: {
    title: 'An annotation has a wrong value',
    meaning: 'Annotations of rolecall.dev take the text "true" or "false".',
    remedy: 'Write "true" or "false", with the quotation marks.',
  },
  annotation_without_effect: {
    title: 'An annotation has no effect on this kind',
    meaning:
      'A warning: an annotation of rolecall.dev stands on a kind that it does nothing for, such as replace-allowed on a Role.',
    remedy: 'Remove it, or put it on the definition that is meant.',
  },
  field_unknown: {
    title: 'A field is unknown',
    meaning: 'The kind has no such field, so its value would have no effect.',
    remedy: 'Write the field that the problem suggests, or remove it.',
  },
  field_missing: {
    title: 'A field is missing',
    meaning: 'The kind cannot do without it.',
    remedy: 'Add the field.',
  },
  field_type: {
    title: 'A field has a value of the wrong type',
    meaning: 'For example a number or an empty value where a text is expected.',
    remedy: 'Write a value of the type that the problem names; numbers that are meant as text take quotation marks.',
  },
  field_value: {
    title: 'A field has a value that is not allowed',
    meaning: 'The type is right, but not the value: too long, out of range, malformed or none of the choices.',
    remedy: 'Write a value as the problem describes it.',
  },
  fields_exclusive: {
    title: 'Exactly one of several fields is needed',
    meaning: 'None of the fields is given, or more than one.',
    remedy: 'Keep exactly one of them.',
  },
  item_duplicate: {
    title: 'A list names something twice',
    meaning:
      'The same item stands in the list twice, possibly once by its declared name and once by its name in the workspace.',
    remedy: 'Remove one of the two.',
  },
  password_in_uri: {
    title: 'A connection URI contains a password',
    meaning: 'Definitions are kept in Git, where a password would stay readable for ever.',
    remedy: 'Remove the password from the URI, use passwordFrom, and change the password if it was ever committed.',
  },
  window_invalid: {
    title: 'The window of a permission is impossible',
    meaning: 'It ends at or before its start, is no whole number of seconds, or is longer than 3,153,600,000 seconds.',
    remedy: 'Correct startsAt, expiresAt or duration.',
  },
  reference_close: {
    title: 'A reference is close to a declared name',
    meaning:
      'A warning: nothing declared has that name, so it is looked up in the workspace. It may be a slip of the pen.',
    remedy: 'Correct the reference, if the declared object was meant.',
  },
  reference_ambiguous: {
    title: 'A reference could mean two objects',
    meaning:
      'A warning: one declared object has the reference as its metadata.name, another has it as its name in the workspace. The first is taken.',
    remedy: 'Refer to each by a metadata.name that no other uses as its name in the workspace.',
  },
  look_alike: {
    title: 'Two names look alike',
    meaning:
      'A warning: two people, roles or data sources have names that are not the same and look as if they were, such as with a Cyrillic а in the place of a Latin one. The workspace takes them for two.',
    remedy: 'If one is meant, write both with the same letters; if two are, choose names that people can tell apart.',
  },
  tls_unchecked: {
    title: 'A data source is reached without checked TLS',
    meaning:
      "One warning covers all data sources: the connection leaves this machine without TLS, or the server's certificate is not checked. An attacker between the service and the database can read or change what passes.",
    remedy:
      'Add sslmode=verify-full (PostgreSQL) or ssl-mode=verify_identity (MySQL, MariaDB) to the URI. NODE_EXTRA_CA_CERTS names a private authority to the service.',
  },
  workspace_unknown: {
    title: 'workspaceRef names no declared Workspace',
    meaning: 'Workspaces are declared, but none by that name.',
    remedy: 'Correct workspaceRef, or declare the Workspace.',
  },
  workspace_ambiguous: {
    title: 'workspaceRef is needed',
    meaning: 'Several Workspaces are declared, and the definition does not say to which it belongs.',
    remedy: 'Add workspaceRef with one of the Workspaces that the problem lists.',
  },
  definition_duplicate: {
    title: 'A definition stands twice',
    meaning:
      'Two definitions have the same kind, namespace and metadata.name, so that the one would overwrite the other.',
    remedy: 'Rename or remove one of the two.',
  },
  object_duplicate: {
    title: 'Two definitions declare the same object of the workspace',
    meaning: 'For example two Persons with one username. They would undo each other for ever.',
    remedy: 'Remove one of the two, or change what makes them the same.',
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
      'A password or an API key is to come from a variable that is not set, from a file that cannot be read or is empty, or from a Kubernetes Secret, for which a variable stands in on the command line. Only plan and apply look for them.',
    remedy: 'Set the variable that the problem names, or correct the file.',
  },
  not_on_command_line: {
    title: 'The command line cannot take a field',
    meaning:
      'A duration without a start needs a record of when it was first granted, which the operator and Terraform keep. For validate it is a warning, for plan and apply an error.',
    remedy: 'Write startsAt as well, which `rolecall anchor` does, or expiresAt instead of duration.',
  },
  not_in_terraform: {
    title: 'Terraform cannot take a field',
    meaning:
      'The definition asks for something that the resources of Terraform cannot keep to, such as an object that outlives its definition (deletionPolicy: Orphan), or needs something beside it, such as the password of a data source. Only the constructs for CDKTF and the function of the provider report it.',
    remedy: 'Do what the problem says, or keep the definition out of what Terraform manages.',
  },
  config_map: {
    title: 'A ConfigMap or its key was not found',
    meaning: 'textFrom.configMapKeyRef takes its text from a ConfigMap that is read together with the definitions.',
    remedy: 'Name the file of the ConfigMap too, correct the reference, or use textFrom.file.',
  },
} as const satisfies Record<string, ProblemDocumentation>;

export type ProblemCode = keyof typeof problemCodes;
