import type { AnswerOf, DeclarableKind } from '@rolecall/api';
import type { Parameter, Reference, StepOf } from '../model/step.ts';
import type { StepOperation } from '../model/step-names.ts';
import type { Caller } from '../view/view.ts';
import type { Facts } from './facts.ts';
import type { KeptReadings } from './kept-readings.ts';

/** Effect of an operation on its subject. */
export type Act = 'create' | 'edit' | 'lock' | 'unlock' | 'delete';

/** A property that all steps of an operation have, or that follows from each step. */
export type OfStep<Op extends StepOperation, T> = T | ((step: StepOf<Op>) => T);

/** Everything that the engine knows of an operation. Required throughout, so that a new operation cannot forget anything. */
export interface Operation<Op extends StepOperation> {
  /** The kind of what it is about, as the service names it. `subjects` has the rest. */
  readonly subject: DeclarableKind;
  readonly act: OfStep<Op, Act>;
  /** True if it can make the object of a definition that has none yet. */
  readonly makes: boolean;
  readonly access: AccessEffect<Op>;
  /** Objects that the service takes along without a call of their own. */
  readonly along: Along | undefined;
  /** Looks whether what an earlier call made is still there; undefined where nothing is made that a plan wants once. */
  readonly proof: Proof<Op> | undefined;
  /** Changes the facts of who reaches what as the step will. */
  readonly outcome: (facts: Facts, step: StepOf<Op>) => void;
  /** Takes into what was read what a step has changed. What goes along is taken by itself. */
  readonly take: (kept: KeptReadings, done: Done<Op>) => void;
}

export type Rows<Op extends StepOperation> = { readonly [O in Op]: Operation<O> };

/** Effect of an operation on who reaches what. */
export interface AccessEffect<Op extends StepOperation> {
  readonly gives: OfStep<Op, boolean>;
  readonly takes: OfStep<Op, boolean>;
  /** True if a step leads a data source to another database, or lets people in as another user of it. */
  readonly repoints: OfStep<Op, boolean>;
  /** The parameters that say from what a step takes access; all of them do together. */
  readonly takesFrom: readonly Parameter[];
}

/** Objects that go with the subject of an operation. */
export interface Along {
  /** The end by which permissions go. */
  readonly permissions?: 'person' | 'dataSource';
  /** True if the members of a role lose it. */
  readonly members?: true;
  /** The owner without whom snippets are left. */
  readonly snippets?: 'ownerPerson' | 'ownerRole';
}

type Proof<Op extends StepOperation> = (
  made: AnswerOf<Op>,
  client: Caller,
  params: Readonly<Record<string, unknown>>,
) => Promise<boolean>;

/** A step that has run. */
export interface Done<Op extends StepOperation> {
  readonly step: StepOf<Op>;
  readonly answer: AnswerOf<Op>;
  /** The id that a value stands for; empty where there is none or it is not known. */
  readonly resolve: (value: string | Reference | null | undefined) => string;
}

/** Parts of the row of an operation that makes its subject. */
export const creates = <S extends DeclarableKind>(subject: S) =>
  ({ subject, act: 'create', makes: true, along: undefined }) as const;

/** Parts of the row of an operation that changes what is there. */
export const changes = <S extends DeclarableKind>(subject: S, act: 'edit' | 'lock' | 'unlock' = 'edit') =>
  ({ subject, act, makes: false, along: undefined, proof: undefined }) as const;

/** Parts of the row of an operation that removes its subject. */
export const deletes = <S extends DeclarableKind>(subject: S, along?: Along) =>
  ({ subject, act: 'delete', makes: false, along, proof: undefined }) as const;

export const noAccess = { gives: false, takes: false, repoints: false, takesFrom: [] } as const;
export const givesAccess = { ...noAccess, gives: true } as const;
export const takesAccess = (...takesFrom: readonly Parameter[]) => ({ ...noAccess, takes: true, takesFrom }) as const;
export const noOutcome = (): void => undefined;
