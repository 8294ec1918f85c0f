import type { DataSource } from '../plugin/framework/provider.ts';
import type { Type } from '../plugin/values/type.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Shape } from './objects.ts';

interface Many<T> {
  readonly type: string;
  /** Such as `people`; also the attribute that holds them. */
  readonly attribute: string;
  readonly nouns: string;
  readonly shape: Shape<T>;
  readonly list: (workspace: Workspace) => Promise<readonly T[]>;
}

/** A data source that gives a whole collection. */
export function manyOf<T>({ type, attribute, nouns, shape, list }: Many<T>): DataSource<Workspace> {
  const fields = Object.entries(shape.attributes);
  const element: Type = ['object', Object.fromEntries(fields.map(([name, of]) => [name, of.type]))];
  const described = fields.map(([name, { description }]) => `\`${name}\`: ${description}`).join(' ');
  return {
    type,
    schema: {
      version: 0,
      description: `All ${nouns} of the workspace.`,
      attributes: {
        [attribute]: { type: ['list', element], presence: 'computed', description: `The ${nouns}. ${described}` },
      },
    },
    read: async (_config, { workspace }) => ({ [attribute]: (await list(workspace)).map(shape.write) }),
  };
}
