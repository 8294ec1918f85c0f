export * from './access.ts';
export { collectionOf } from './claims.ts';
export * from './converge.ts';
export { compareConnections } from './data-source.ts';
export * from './desired.ts';
export { findCurrentId, findId } from './find-id.ts';
export * from './from-definitions.ts';
export {
  dataSourceKey,
  emailKey,
  type OwnerKey,
  pairKey,
  personKey,
  roleKey,
  snippetKey,
  snippetNameKey,
} from './keys.ts';
export { type GuardedRole, takersOfLast } from './last-member.ts';
export { listUpTo } from './list-up-to.ts';
export { type Manager, managerOf } from './owners.ts';
export { alignedStart } from './permission.ts';
export * from './plan.ts';
export { planJsonSchema } from './plan-json-schema.ts';
export { planSchema } from './plan-schema.ts';
export * from './planner.ts';
export { exceeds } from './rails.ts';
export { readAccessFacts } from './read-access.ts';
export { removalSteps } from './remove-objects.ts';
export { closingLine, removalWords } from './render/closing.ts';
export { orderedPlan, printableJson, renderJson } from './render/json.ts';
export { type MarkdownOptions, renderMarkdown } from './render/markdown.ts';
export { type Palette, plainPalette } from './render/palette.ts';
export { renderText, type TextOptions } from './render/text.ts';
export { visible, visibleLines } from './render/visible.ts';
export type { AccessChange, AccessWay } from './review/access-change.ts';
export { describeAccess } from './review/describe-access.ts';
export { type Baseline, takeBaseline } from './saved/baseline.ts';
export { type Ended, findEnded } from './saved/ended.ts';
export { SavedPlanError, type SavedPlanFault } from './saved/errors.ts';
export { describeMoved, findMoved, type Moved } from './saved/moved.ts';
export * from './saved/saved-plan.ts';
export type { Converged, Failure, Progress } from './schedule.ts';
export { type Surroundings } from './scope.ts';
export { mapSecretSources, secretSourcesOf } from './secret-sources.ts';
export { type Effect, effects, type FieldChange, type Note, type Refusal, railNames, type Step } from './step.ts';
export { findUndeclared, type Undeclared } from './undeclared.ts';
export { unmade } from './unmade.ts';
export { type Caller, type Collection, createView, ownerOf, type View } from './view.ts';
export { isWindowOf, shortTime, type Window } from './window.ts';
