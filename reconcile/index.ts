export * from './converge.ts';
export * from './desired.ts';
export * from './from-definitions.ts';
export * from './plan.ts';
export * from './planner.ts';
export { type Surroundings } from './scope.ts';
export { type Effect, effects, type FieldChange, type Note, type Refusal, railNames, type Step } from './step.ts';
export { type Caller, createView, type View } from './view.ts';
