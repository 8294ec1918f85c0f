/** What every kind says about itself. One kind is one file; `registry.ts` lists them. */

import type { z } from 'zod';
import type { Path } from '../path.ts';

/** The kinds that others refer to. */
export type ReferableKind = 'Person' | 'Role' | 'DataSource';

/** A place in a spec that names another object. */
export interface Reference {
  readonly kind: ReferableKind;
  /** A metadata.name, or a natural key of the workspace. */
  readonly name: string;
  /** Where it stands, from the spec. */
  readonly path: Path;
}

/** Gives the natural key of what a reference stands for. */
export type KeyOf = (kind: ReferableKind, name: string) => string;

/** Something that only one object of a workspace can have. */
export interface Identity {
  /** As people call it, with its value: `username ada`. */
  readonly label: string;
  readonly parts: readonly string[];
  /** The field that gives it, from the spec. */
  readonly path: Path;
  /** Whether the service ignores the difference between upper and lower case. */
  readonly foldCase: boolean;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly jsonPath: string;
}

/** A rule of a CustomResourceDefinition, in CEL; it says there what a check of the schema says here. */
export interface Validation {
  readonly rule: string;
  readonly message: string;
  /** The field that is wrong, from where the rule stands: `.startsAt`. */
  readonly fieldPath?: string;
}

export interface Kind<Name extends string = string, Spec = unknown> {
  readonly kind: Name;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** One or two sentences of documentation. */
  readonly summary: string;
  /** A complete definition in YAML, without problems when read by itself. */
  readonly example: string;
  /** The schema of the spec as it is written; JSON Schema and the CRD are made from its input. */
  readonly schema: z.ZodObject;
  readonly columns: readonly PrinterColumn[];
  /** The field of the spec that says what the object is called in the workspace; left out, it is metadata.name. */
  readonly keyField?: 'alias' | 'username' | 'name';
  /** Rules over several fields of the spec, besides "exactly one of". */
  readonly validations: readonly Validation[];
  /** Fields of the spec by which a cluster is asked for objects: `kubectl get --field-selector spec.person=ada`. */
  readonly selectable: readonly string[];
  /** Fields of the spec that nobody can change in a cluster: another value would leave behind what the old one made. */
  readonly immutable: readonly string[];
  /**
   * Checks a spec and puts it into its normal form, with the defaults that depend on metadata.name.
   *
   * @param name the definition's metadata.name
   */
  readonly parse: (spec: unknown, name: string) => { readonly spec: Spec } | { readonly issues: z.core.$ZodIssue[] };
  readonly references: (spec: Spec) => readonly Reference[];
  /** The natural key first, then what else is unique. Workspaces have none: they are not objects of a workspace. */
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

/** Makes a kind from its schema and its rules. */
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

/** A spec whose fields `Names` have their defaults filled in. */
export type WithDefaults<Spec, Names extends keyof Spec> = Omit<Spec, Names> & Required<Pick<Spec, Names>>;
