import type { Log } from '../process/log.ts';
import type { Type } from '../values/type.ts';
import { type Diagnostic, DiagnosticError, failure, type Report, refusal, toDiagnosticMessage } from './diagnostics.ts';
import { identityTypeOf } from './identity.ts';
import type { Configured, DataSource, Provider } from './provider.ts';
import type { Resource, StoredState, VerbContext } from './resource.ts';
import { typeOf } from './schema.ts';

/** One configuration of the provider: what a connection of Terraform's works with. */
export interface Session<W> {
  readonly provider: Provider<W>;
  readonly log: Log;
  readonly resources: ReadonlyMap<string, Resource<W>>;
  readonly dataSources: ReadonlyMap<string, DataSource<W>>;
  /** The types of the objects that the schemas describe, by the name of the resource, `data.` or `identity.` before it. */
  readonly types: ReadonlyMap<string, Type>;
  configured: Configured<W> | undefined;
  /** Terraform was asked to end: nothing new is begun. */
  stopping: boolean;
  /** Failures that have been shown, the shared ones by their summary: one that a thousand objects share is shown once. */
  readonly told: Set<DiagnosticError | string>;
  /** A failure that was not shown again, so that Terraform does not know of all that it kept from being planned. */
  withheld: DiagnosticError | undefined;
  /** Terraform applies: from here on each object that fails has to say so. */
  applying: boolean;
  /**
   * Terraform checked the configuration first, as it does for each plan and each apply. A test of Terraform 1.14 whose file has the
   * provider's block skips that, and plans and applies several times with one configuration. Nothing else tells the two apart.
   */
  validated: boolean;
  /** The objects in Terraform's state, by `stateKey`. */
  readonly stored: Map<string, StoredState>;
  /** The keys of what was refreshed. */
  readonly refreshed: Set<string>;
}

export function openSession<W>(provider: Provider<W>, log: Log): Session<W> {
  const { resources, dataSources } = provider;
  return {
    provider,
    log,
    resources: new Map(resources.map((resource) => [resource.type, resource])),
    dataSources: new Map(dataSources.map((dataSource) => [dataSource.type, dataSource])),
    types: new Map([
      ...resources.map((resource) => [resource.type, typeOf(resource.schema)] as const),
      ...resources.map((resource) => [`identity.${resource.type}`, identityTypeOf(resource)] as const),
      ...dataSources.map((dataSource) => [`data.${dataSource.type}`, typeOf(dataSource.schema)] as const),
    ]),
    configured: undefined,
    stopping: false,
    told: new Set(),
    withheld: undefined,
    applying: false,
    validated: false,
    stored: new Map(),
    refreshed: new Set(),
  };
}

/** The diagnostics of one call, and whether any is an error. */
export interface Gathered {
  readonly all: Diagnostic[];
  readonly report: Report;
  failed: boolean;
}

export function gatherReports(): Gathered {
  const gathered: Gathered = {
    all: [],
    failed: false,
    report: (diagnostic) => {
      gathered.all.push(diagnostic);
      if (diagnostic.severity === 'error') gathered.failed = true;
    },
  };
  return gathered;
}

/**
 * Runs a verb. What it throws becomes a diagnostic: thrown through gRPC, Terraform would show it without the address of
 * the resource.
 *
 * @param repeats whether a failure that was shown for another object is shown again; where nothing is written it need
 *   not be, as the first one fails the whole command
 * @returns undefined when it threw
 */
export async function attempt<T, W>(
  session: Session<W>,
  { report }: Gathered,
  what: string,
  verb: () => T | Promise<T>,
  repeats = true,
): Promise<T | undefined> {
  try {
    return await verb();
  } catch (error) {
    if (error instanceof DiagnosticError) {
      // Each collection that cannot be read makes an error of its own.
      const said = error.isShared ? error.diagnostic.summary : error;
      if (repeats || session.applying || !session.told.has(said)) report(error.diagnostic);
      else session.withheld = error;
      session.told.add(said);
    } else {
      session.log('error', `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      report(mistake(what, error instanceof Error ? error.message : String(error)));
    }
    return undefined;
  }
}

/** Runs the verb of one call. @returns what it answers, nothing where it threw, and the diagnostics */
export async function answer<T extends object, W>(
  session: Session<W>,
  what: string,
  verb: (gathered: Gathered) => T | Promise<T>,
  repeats = true,
): Promise<Partial<T> & { readonly diagnostics: ReturnType<typeof toDiagnosticMessage>[] }> {
  const gathered = gatherReports();
  const answered: Partial<T> = (await attempt(session, gathered, what, () => verb(gathered), repeats)) ?? {};
  return { ...answered, diagnostics: gathered.all.map(toDiagnosticMessage) };
}

/** @throws DiagnosticError for a type that this provider does not have */
export function resourceOf<W>({ resources, types }: Session<W>, typeName: string) {
  const [resource, type] = [resources.get(typeName), types.get(typeName)];
  if (resource === undefined || type === undefined) throw unknownType(typeName);
  return { resource, type };
}

/** @throws DiagnosticError for a type that this provider does not have */
export function dataSourceOf<W>({ dataSources, types }: Session<W>, typeName: string) {
  const [dataSource, type] = [dataSources.get(typeName), types.get(`data.${typeName}`)];
  if (dataSource === undefined || type === undefined) throw unknownType(typeName);
  return { dataSource, type };
}

/** Only another version of the provider has such a type. */
export function unknownType(typeName: string): DiagnosticError {
  return refusal(
    `Unknown type ${typeName}`,
    `This version of the provider has no ${typeName}. Use a version that has it, or remove it from the configuration and the state.`,
  );
}

/** Reports a mistake of the provider itself. */
export function mistake(what: string, message: string): Diagnostic {
  return failure(
    'Mistake in the provider',
    `${what}: ${message}. This is a mistake in the provider, not in the configuration: please report it.`,
  );
}

/**
 * Makes the context of the verbs of resources and data sources.
 *
 * @throws DiagnosticError when the provider was not configured, or Terraform is ending
 */
export function verbContext<W>(
  { configured, stopping, stored, refreshed }: Session<W>,
  { report }: Gathered,
): VerbContext<W> {
  if (stopping) throw refusal('Interrupted', 'Terraform was asked to stop, so this was not begun.');
  if (configured === undefined) {
    throw refusal('The provider is not configured', 'Terraform asked for this before it configured the provider.');
  }
  return { workspace: configured.workspace, report, stored, refreshed };
}
