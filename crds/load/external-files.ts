/** Makes the paths that definitions name absolute, and reads the texts of snippets. */

import { dirname, resolve } from 'node:path';
import type { Definition, DefinitionOf } from '../kinds/definition.ts';
import { snippetText } from '../kinds/snippet.ts';
import type { Path } from '../path.ts';
import { type ConfigMap, findConfigMap } from './config-maps.ts';
import { decodeUtf8 } from './decode.ts';
import { FileTooLargeError, readBytes, reason, standardInput, unreadable } from './files.ts';
import type { ProblemCode } from './problem-codes.ts';
import { type CrossIssue, errorAt } from './problems.ts';
import { suggestion } from './suggest.ts';

/** The largest file that can hold a text of 200,000 characters. */
const maxTextBytes = 800_003;

export interface Attached {
  readonly definition: Definition;
  readonly issues: readonly CrossIssue[];
}

/** Resolves what a definition takes from files and ConfigMaps. It checks that password files exist, and never reads them. */
export function attachFiles(definition: Definition, maps: readonly ConfigMap[]): Attached {
  switch (definition.kind) {
    case 'Workspace':
      return { definition: attachWorkspace(definition), issues: [] };
    case 'DataSource':
      return attachPassword(definition);
    case 'Snippet':
      return attachText(definition, maps);
    case 'Person':
    case 'Role':
    case 'RoleMembership':
    case 'Permission':
      return { definition, issues: [] };
  }
}

function attachWorkspace(definition: DefinitionOf<'Workspace'>): DefinitionOf<'Workspace'> {
  const { caFile, credentialsFrom } = definition.spec;
  if (caFile === undefined && credentialsFrom?.file === undefined) return definition;
  const keyFile = credentialsFrom?.file;
  const spec = {
    ...definition.spec,
    ...(caFile === undefined ? {} : { caFile: absolute(definition, caFile) }),
    ...(keyFile === undefined ? {} : { credentialsFrom: { file: absolute(definition, keyFile) } }),
  };
  return { ...definition, spec };
}

function attachPassword(definition: DefinitionOf<'DataSource'>): Attached {
  const written = definition.spec.passwordFrom?.file;
  if (written === undefined) return { definition, issues: [] };
  const file = absolute(definition, written);
  const fault = unreadable(file);
  const issues =
    fault === undefined ? [] : [fileIssue(definition, ['spec', 'passwordFrom', 'file'], `${file}, which ${fault}`)];
  return { definition: { ...definition, spec: { ...definition.spec, passwordFrom: { file } } }, issues };
}

function attachText(definition: DefinitionOf<'Snippet'>, maps: readonly ConfigMap[]): Attached {
  const { textFrom } = definition.spec;
  if (textFrom?.configMapKeyRef !== undefined) return fromConfigMap(definition, textFrom.configMapKeyRef, maps);
  if (textFrom?.file === undefined) return { definition, issues: [] };
  const file = absolute(definition, textFrom.file);
  const path = ['spec', 'textFrom', 'file'];
  const read = readText(file);
  if ('fault' in read) return { definition, issues: [fileIssue(definition, path, `${file}, which ${read.fault}`)] };
  return withText(definition, { file }, read.text, path, `${file}: its text`);
}

function fromConfigMap(
  definition: DefinitionOf<'Snippet'>,
  ref: { name: string; key: string },
  maps: readonly ConfigMap[],
): Attached {
  const map = findConfigMap(maps, ref.name, definition.metadata.namespace);
  const path = ['spec', 'textFrom', 'configMapKeyRef'];
  const fail = (field: string, message: string, remedy: string): Attached => ({
    definition,
    issues: [issueOf(definition, [...path, field], 'config_map', message, remedy)],
  });
  if (map === undefined) {
    const remedy = 'Name the file of the ConfigMap too, correct the name, or use textFrom.file.';
    return fail('name', `names the ConfigMap ${ref.name}, which is not among what was read`, remedy);
  }
  const text = Object.hasOwn(map.data, ref.key) ? map.data[ref.key] : undefined;
  if (typeof text === 'string') return withText(definition, { configMapKeyRef: ref }, text, path, 'names a text that');
  const message = `names the key ${ref.key}, which is not in the data of ConfigMap ${ref.name}`;
  return fail('key', message, suggestion(ref.key, Object.keys(map.data), 'keys'));
}

function withText(
  definition: DefinitionOf<'Snippet'>,
  textFrom: { file: string } | { configMapKeyRef: { name: string; key: string } },
  text: string,
  path: Path,
  subject: string,
): Attached {
  const issues = (snippetText.safeParse(text).error?.issues ?? []).map((issue) =>
    issueOf(definition, path, 'text_file', `${subject} ${issue.message}`, 'Correct the text.'),
  );
  return { definition: { ...definition, spec: { ...definition.spec, textFrom, text } }, issues };
}

function readText(file: string): { text: string } | { fault: string } {
  const fault = unreadable(file);
  if (fault !== undefined) return { fault };
  try {
    const text = decodeUtf8(readBytes(file, maxTextBytes));
    return typeof text === 'string' ? { text } : { fault: text.message };
  } catch (error) {
    if (error instanceof FileTooLargeError) return { fault: 'has more than 200,000 characters' };
    return { fault: `cannot be read: ${reason(error)}` };
  }
}

function absolute({ source }: Definition, file: string): string {
  return resolve(source.file === standardInput ? '.' : dirname(source.file), file);
}

function fileIssue(definition: Definition, path: Path, message: string): CrossIssue {
  const remedy = 'Correct the path, which is relative to the folder of the definition, or the file.';
  return issueOf(definition, path, 'text_file', `names ${message}`, remedy);
}

function issueOf({ source }: Definition, path: Path, code: ProblemCode, message: string, remedy: string): CrossIssue {
  return { ...errorAt(path, code, message, remedy), source };
}
