import { type DefinitionOf, isManaged } from '@rolecall/crds';
import { DataSource } from '../bindings/index.ts';
import { Forgotten } from '../forgotten.ts';
import { literal } from '../literal.ts';
import { lookUpDataSource } from '../lookup.ts';
import { type Context, constructId } from './context.ts';

export function buildDataSource(definition: DefinitionOf<'DataSource'>, context: Context): void {
  const { scope, provider, passwords, built } = context;
  const { alias, name, uri, passwordFrom } = definition.spec;
  const id = constructId('data_source', definition);
  if (!isManaged(definition)) {
    new Forgotten(scope, id, DataSource.tfResourceType);
    built.dataSources.set(definition, () => lookUpDataSource(context, alias, literal));
    return;
  }
  const password = passwordFrom === undefined ? undefined : passwords[definition.metadata.name];
  const dataSource = new DataSource(scope, id, {
    alias: literal(alias),
    name: literal(name),
    uri: literal(uri),
    passwordWo: password?.value,
    passwordWoVersion: password?.version,
    provider,
  });
  built.dataSources.set(definition, () => dataSource);
}
