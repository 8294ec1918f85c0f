import { checkConfig } from '../framework/check.ts';
import { type Diagnostic, failure, toDiagnosticMessage } from '../framework/diagnostics.ts';
import { identityOf, importIdOf } from '../framework/identity.ts';
import { listSchemaOf } from '../framework/list.ts';
import type { Listed, Resource, VerbContext } from '../framework/resource.ts';
import { typeOf } from '../framework/schema.ts';
import {
  answer,
  attempt,
  gatherReports,
  mistake,
  resourceOf,
  type Session,
  verbContext,
} from '../framework/session.ts';
import type { Type } from '../values/type.ts';
import { isSame, type ObjectValue } from '../values/value.ts';
import { readConfig, writeIdentity, writeObject } from './dynamic.ts';
import type { Handlers, RequestOf, ResponseOf } from './handlers.ts';

type Event = ResponseOf<'ListResource'>;

/** Lists the objects of the workspace, managed or not; Terraform asks for them from version 1.14 on (`terraform query`). */
export function listCalls<W>(session: Session<W>): Handlers {
  return {
    ValidateListResourceConfig: ({ typeName, config }) =>
      answer(session, `validate list ${typeName}`, ({ report }) => {
        const schema = listSchemaOf(resourceOf(session, typeName).resource);
        checkConfig({ schema }, readConfig(typeOf(schema), config), report);
        return {};
      }),
    ListResource: (request) => list(session, request),
  };
}

async function* list<W>(session: Session<W>, request: RequestOf<'ListResource'>): AsyncGenerator<Event> {
  const { typeName, limit } = request;
  const gathered = gatherReports();
  const listing = await attempt(session, gathered, `list ${typeName}`, async () => {
    const { resource, type } = resourceOf(session, typeName);
    const config = readConfig(typeOf(listSchemaOf(resource)), request.config);
    const context = verbContext(session, gathered);
    const all = (await resource.listing.list(context, config)).filter((object) => isWanted(resource, object, config));
    return { session, resource, type, context, all };
  });
  if (listing === undefined) {
    yield toEvent(gathered.all);
    return;
  }
  for (const listed of limit > 0 ? listing.all.slice(0, limit) : listing.all) {
    const objectReports = gatherReports();
    const event = await attempt(session, objectReports, `list ${typeName}`, () =>
      describe(listing, listed, request.includeResourceObject),
    );
    yield { ...event, ...toEvent(objectReports.all) };
  }
}

const toEvent = (diagnostics: readonly Diagnostic[]): Event => ({ diagnostics: diagnostics.map(toDiagnosticMessage) });

function isWanted<W>({ listing, schema }: Resource<W>, { attributes }: Listed, config: ObjectValue): boolean {
  return listing.filters.every((name) => {
    const wanted = config[name] ?? null;
    return wanted === null || isSame(schema.attributes[name]?.type ?? 'string', wanted, attributes[name] ?? null);
  });
}

interface Found<W> {
  readonly session: Session<W>;
  readonly resource: Resource<W>;
  readonly type: Type;
  readonly context: VerbContext<W>;
}

async function describe<W>(
  { session, resource, type, context }: Found<W>,
  { name, attributes }: Listed,
  whole: boolean,
): Promise<Event> {
  const identity = identityOf(resource, attributes);
  const written = writeIdentity(session, resource, attributes);
  if (identity === undefined || written === undefined)
    return toEvent([mistake(`list ${resource.type}`, `${name} has no identity`)]);
  const event = { displayName: name, identity: written };
  if (!whole) return event;
  const { state } = await resource.import({ id: importIdOf(resource, identity) }, context);
  // Deleted since it was listed.
  if (state === null) return toEvent([failure('Gone', `${name} was deleted while it was listed. List again.`)]);
  return { ...event, resourceObject: writeObject(type, state) };
}
