/** The interface of a kind. Each kind is one file; `registry.ts` lists them. */

import type { z } from 'zod';
import type { Path } from '../path.ts';

/** The kinds that other kinds refer to. */
export type ReferableKind = 'Person' | 'Role' | 'DataSource';

/** A field of a spec that names another object. */
export interface Reference {
  readonly kind: ReferableKind;
  /** A metadata.name, or a natural key of the workspace. */
  readonly name: string;
  /** The path of the field, from the spec. */
  readonly path: Path;
}

/** Returns the natural key of the object that a reference means. */
export type KeyOf = (kind: ReferableKind, name: string) => string;

/** Something that is unique in a workspace. */
export interface Identity {
  /** Its name and value for messages: `username ada`. */
  readonly label: string;
  readonly parts: readonly string[];
  /** The path of its field, from the spec. */
  readonly path: Path;
  /** True if the service ignores case. */
  readonly foldCase: boolean;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly jsonPath: string;
}

/** A CEL rule of a CustomResourceDefinition; it repeats a check of the schema. */
export interface Validation {
  readonly rule: string;
  readonly message: string;
  /** The path of the invalid field, relative to the rule: `.startsAt`. */
  readonly fieldPath?: string;
}

export interface Kind<Name extends string = string, Spec = unknown> {
  readonly kind: Name;
  readonly plural: string;
  readonly shortNames: readonly string[];
  /** One or two sentences of documentation. */
  readonly summary: string;
  /** A complete definition in YAML, valid by itself. */
  readonly example: string;
  /** The schema of the spec; JSON Schema and the CRD are generated from its input. */
  readonly schema: z.ZodObject;
  readonly columns: readonly PrinterColumn[];
  /** The field with the object's name in the workspace, which defaults to metadata.name. */
  readonly keyField?: 'alias' | 'username' | 'name';
  /** Rules over several fields of the spec, besides "exactly one of". */
  readonly validations: readonly Validation[];
  /** Fields for selectors in a cluster: `kubectl get --field-selector spec.person=ada`. */
  readonly selectable: readonly string[];
  /** Fields that are immutable in a cluster: a new value would leave behind what the old one made. */
  readonly immutable: readonly string[];
  /**
   * Checks a spec and normalizes it, with the defaults that depend on metadata.name.
   *
   * @param name the definition's metadata.name
   */
  readonly parse: (spec: unknown, name: string) => { readonly spec: Spec } | { readonly issues: z.core.$ZodIssue[] };
  readonly references: (spec: Spec) => readonly Reference[];
  /** The natural key first, then other unique fields. Workspaces have none, since they are not objects of a workspace. */
  readonly identities: (spec: Spec, keyOf: KeyOf) => readonly Identity[];
}

interface KindRules<Name extends string, Schema extends z.ZodObject, Spec>
  extends Omit<Kind<Name, Spec>, 'parse' | 'schema' | 'references' | 'validations' | 'selectable' | 'immutable'> {
  readonly schema: Schema;
  readonly normalise: (spec: z.output<Schema>, name: string) => Spec;
  readonly validations?: readonly Validation[];
  readonly selectable?: readonly string[];
  readonly immutable?: readonly string[];
  readonly references?: (spec: Spec) => readonly Reference[];
}

/** Creates a kind from its schema and its rules. */
export function defineKind<const Name extends string, Schema extends z.ZodObject, Spec>(
  rules: KindRules<Name, Schema, Spec>,
): Kind<Name, Spec> {
  const { normalise, references = () => [], validations = [], selectable = [], immutable = [], ...rest } = rules;
  return {
    ...rest,
    references,
    validations,
    selectable,
    immutable,
    parse: (spec, name) => {
      const result = rules.schema.safeParse(spec);
      return result.success ? { spec: normalise(result.data, name) } : { issues: result.error.issues };
    },
  };
}

/** A spec with the defaults of the fields `Names` filled in. */
export type WithDefaults<Spec, Names extends keyof Spec> = Omit<Spec, Names> & Required<Pick<Spec, Names>>;
