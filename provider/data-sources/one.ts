import { type DiagnosticError, failure, type Report, refusal } from '../plugin/framework/diagnostics.ts';
import type { DataSource } from '../plugin/framework/provider.ts';
import type { Attribute } from '../plugin/framework/schema.ts';
import type { ObjectValue, Value } from '../plugin/values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Shape, write } from './objects.ts';

interface One<T> {
  readonly type: string;
  /** Such as `person`. */
  readonly noun: string;
  readonly shape: Shape<T>;
  /** The attributes by which it is found; exactly one is given. */
  readonly keys: readonly string[];
  readonly find: (key: string, value: string, workspace: Workspace) => Promise<readonly T[]>;
  /** Attributes beyond those of the shape, and what they are. */
  readonly more?: {
    readonly attributes: Readonly<Record<string, Attribute>>;
    readonly read: (object: T, workspace: Workspace) => Promise<ObjectValue>;
  };
}

/** A data source that gives one object, by one of its keys. */
export function oneOf<T>({ type, noun, shape, keys, find, more }: One<T>): DataSource<Workspace> {
  const given = keys.map((key) => `\`${key}\``).join(' or ');
  const keyOf = (config: ObjectValue): string[] => keys.filter((key) => (config[key] ?? null) !== null);
  return {
    type,
    schema: {
      version: 0,
      description: `A ${noun} of the workspace, by ${given}.`,
      attributes: {
        ...Object.fromEntries(
          Object.entries(shape).map(([name, { read: _read, ...attribute }]) => [
            name,
            { ...attribute, presence: keys.includes(name) ? 'optional-computed' : 'computed' } as const,
          ]),
        ),
        ...more?.attributes,
      },
    },

    validate: (config: ObjectValue, report: Report) => {
      const givenKeys = keyOf(config);
      if (givenKeys.length === 1) return;
      const what = givenKeys.length === 0 ? 'none is given' : `${givenKeys.join(' and ')} are given`;
      report(
        failure(`Which ${noun}?`, `Give exactly one of ${keys.join(', ')}; ${what}.`, [
          givenKeys[1] ?? keys[0] ?? 'id',
        ]),
      );
    },

    read: async (config, { workspace }) => {
      const [key = ''] = keyOf(config);
      const value = config[key];
      const look = async () => (typeof value === 'string' ? find(key, value, workspace) : []);
      let objects = await look();
      // A provider under another alias may have made it since the first reading.
      if (objects.length === 0) {
        workspace.freshView();
        objects = await look();
      }
      const [object] = objects;
      if (object === undefined) throw none(noun, key, value ?? null);
      if (objects.length > 1) throw several(noun, key, objects.length);
      // As it was asked for: Terraform wants what is given to stay, letter by letter.
      return { ...write(shape, object), ...(await more?.read(object, workspace)), [key]: value ?? null };
    },
  };
}

function none(noun: string, key: string, value: Value): DiagnosticError {
  return refusal(
    `No such ${noun}`,
    `The workspace has no ${noun} with the ${key} ${JSON.stringify(value)}. Correct it.`,
    [key],
  );
}

function several(noun: string, key: string, count: number): DiagnosticError {
  return refusal(
    `Several of that ${key}`,
    `${count} objects of the workspace are a ${noun} of that ${key}: give the id.`,
    [key],
  );
}
