import type { IConstruct } from 'constructs';

/** Something that is wrong with a definition, and where. */
export interface DefinitionProblem {
  readonly severity: 'error' | 'warning';
  /** One of the codes of docs/definition-problems.md. */
  readonly code: string;
  readonly file: string;
  /** From 1; 0 when the problem is with the file as a whole. */
  readonly line: number;
  readonly column: number;
  /** Such as `spec.people[2]`; empty for the document as a whole. */
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
}

/** The definitions have errors. The message has all of them, a line each. */
export class DefinitionsError extends Error {
  override name = 'DefinitionsError';
  readonly code = 'ERR_ROLECALL_DEFINITIONS';
  declare readonly problems: readonly DefinitionProblem[];

  constructor(problems: readonly DefinitionProblem[], lines: readonly string[]) {
    super(`the definitions have errors:\n${lines.join('\n')}`);
    // Not enumerable: Node would print the problems again after the message.
    Object.defineProperty(this, 'problems', { value: problems });
  }
}

/** A property of a construct has a value that cannot be used. */
export class PropertyError extends Error {
  override name = 'PropertyError';
  readonly code: string = 'ERR_ROLECALL_PROPERTY';
  /** The path of the construct in its tree. */
  readonly construct: string;
  /** Such as `members[1]`. */
  readonly property: string;
  readonly remedy: string;

  constructor(construct: IConstruct, property: string, message: string, remedy: string) {
    super(`${construct.constructor.name} ${construct.node.path}: ${property} ${message}. ${remedy}`);
    this.construct = construct.node.path;
    this.property = property;
    this.remedy = remedy;
  }
}

/** A property is a token, which only Terraform resolves, where its value is needed while the configuration is synthesised. */
export class UnresolvedTokenError extends PropertyError {
  override name = 'UnresolvedTokenError';
  override readonly code = 'ERR_ROLECALL_TOKEN';
  /** The expression that Terraform would have evaluated, such as `${var.username}`. */
  readonly expression: string;

  constructor(construct: IConstruct, property: string, expression: string, remedy: string) {
    const message = `is ${expression}, which only Terraform knows, but it decides which resources there are and what they are called, so it must be known when the configuration is synthesised`;
    super(construct, property, message, remedy);
    this.expression = expression;
  }
}
