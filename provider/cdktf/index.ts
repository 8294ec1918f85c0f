/** Bindings of the Terraform provider of Rolecall, a class a resource and data source, and constructs above them. */
export * from './bindings/index.ts';
export type { Password } from './definitions/password.ts';
export { Definitions, type DefinitionsProps } from './definitions.ts';
export { type DefinitionProblem, DefinitionsError, PropertyError, UnresolvedTokenError } from './errors.ts';
export type { Reference } from './lookup.ts';
export { Team, type TeamPerson, type TeamProps } from './team.ts';
export { TimedAccess, type TimedAccessProps } from './timed-access.ts';
