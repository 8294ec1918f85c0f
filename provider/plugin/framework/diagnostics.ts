import type { MessageInput } from '../messages/fields.ts';
import { type attributePath, type diagnostic, severities } from '../messages/messages.ts';
import type { Path } from '../values/value.ts';

/** An error or a warning that Terraform shows. */
export interface Diagnostic {
  readonly severity: keyof typeof severities;
  /** One line. */
  readonly summary: string;
  /** The event, and the remedy. */
  readonly detail: string;
  /** The attribute that it is about; Terraform points at its line. */
  readonly path?: Path;
}

export type Report = (diagnostic: Diagnostic) => void;

export function failure(summary: string, detail: string, path?: Path): Diagnostic {
  return { severity: 'error', summary, detail, ...(path === undefined ? {} : { path }) };
}

export function warning(summary: string, detail: string, path?: Path): Diagnostic {
  return { severity: 'warning', summary, detail, ...(path === undefined ? {} : { path }) };
}

/** Ends an operation with what Terraform is to show. */
export class DiagnosticError extends Error {
  override name = 'DiagnosticError';
  readonly code = 'ERR_DIAGNOSTIC';
  /** True if all failures with this summary are the same one, whichever object met it. */
  readonly isShared: boolean = false;
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic, options?: ErrorOptions) {
    super(`${diagnostic.summary}: ${diagnostic.detail}`, options);
    this.diagnostic = diagnostic;
  }
}

/** The error that ends an operation with a failure. */
export function refusal(summary: string, detail: string, path?: Path, options?: ErrorOptions): DiagnosticError {
  return new DiagnosticError(failure(summary, detail, path), options);
}

function toPathMessage(path: Path): MessageInput<typeof attributePath> {
  return {
    steps: path.map((step, index) => {
      if (typeof step === 'number') return { elementKeyInt: step };
      // Attributes of attributes are written as they are in a schema without nested types: only the first is a name.
      return index === 0 ? { attributeName: step } : { elementKeyString: step };
    }),
  };
}

export function toDiagnosticMessage({ severity, summary, detail, path }: Diagnostic): MessageInput<typeof diagnostic> {
  return {
    severity: severities[severity],
    summary,
    detail,
    ...(path === undefined || path.length === 0 ? {} : { attribute: toPathMessage(path) }),
  };
}
