import type { Path } from './value.ts';

/** Such as `owners[2].name`. */
function formatPath(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

/** A value that is not of the type that the schema says. */
export class ConformError extends Error {
  override name = 'ConformError';
  readonly code = 'ERR_VALUE';
  readonly path: Path;
  constructor(path: Path, message: string) {
    super(path.length === 0 ? message : `${formatPath(path)} ${message}`);
    this.path = path;
  }
}
