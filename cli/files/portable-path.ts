import path from 'node:path';
import type { SavedConnection, SecretSource } from '@rolecall/reconcile';

/**
 * A path as a saved plan has it: relative to the working folder where it lies in it. The plan may be made in one checkout
 * of the repository and run in another one.
 */
export function toPortable(file: string): string {
  const relative = path.relative('.', file);
  const isInside = relative !== '' && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
  return isInside ? relative.split(path.sep).join('/') : path.resolve(file);
}

/** The way back. */
export const fromPortable = (file: string): string => path.resolve(file);

/** A secret's source with its path, if it has one, put through `map`. */
export function mapSourceFile(source: SecretSource, map: (file: string) => string): SecretSource {
  return 'file' in source ? { file: map(source.file) } : source;
}

/** The same for what a Workspace says of its connection. */
export function mapConnectionFiles(
  { caFile, credentialsFrom }: SavedConnection,
  map: (file: string) => string,
): SavedConnection {
  const file = credentialsFrom?.file;
  return {
    ...(caFile === undefined ? {} : { caFile: map(caFile) }),
    ...(credentialsFrom === undefined
      ? {}
      : { credentialsFrom: file === undefined ? credentialsFrom : { ...credentialsFrom, file: map(file) } }),
  };
}
