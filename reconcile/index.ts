export * from './apply/converge.ts';
export { recordDeclarations } from './apply/record-declarations.ts';
export type { Converged, Failure, Progress } from './apply/schedule.ts';
export { findAbsent } from './kinds/absent.ts';
export { compareConnections, dataSourceKind } from './kinds/data-source.ts';
export { timesOf } from './kinds/declared-times.ts';
export { findCurrentId, findId, rememberingOthers } from './kinds/find-id.ts';
export * from './kinds/from-definitions.ts';
export { type CurrentPermission, permissionKind, removePermission } from './kinds/permission.ts';
export { personKind, removePerson } from './kinds/person.ts';
export { naturalKeyOf } from './kinds/registry.ts';
export { roleKind } from './kinds/role.ts';
export { type Surroundings } from './kinds/scope.ts';
export { type CurrentSnippet, findOlderVersion, snippetKind } from './kinds/snippet.ts';
export { collectionOf } from './model/claims.ts';
export { addMember, deleteStep, removeMember, setWindows } from './model/common-steps.ts';
export * from './model/desired.ts';
export {
  dataSourceKey,
  emailKey,
  type OwnerKey,
  ownerOf,
  pairKey,
  personKey,
  roleKey,
  snippetKey,
  snippetNameKey,
  snippetTextKey,
} from './model/keys.ts';
export { isSameWindow, windowWords } from './model/membership-window.ts';
export * from './model/plan.ts';
export { planJsonSchema } from './model/plan-schema.ts';
export { mapSecretSources, secretSourcesOf } from './model/secret-sources.ts';
export { type Diff, type FieldChange, listUpTo, type Note, type Refusal, type Step } from './model/step.ts';
export { type Effect, effects, type RailName, railNames, type StepOperation } from './model/step-names.ts';
export { isWindowOf, shortTime, type Window } from './model/window.ts';
export { actOf, does, isJoining, isOfMembership, makes, mayFreeName, memberKindOf } from './operations/table.ts';
export { countRemovals } from './plan/count-removals.ts';
export { EndingSteps } from './plan/ending-steps.ts';
export { criticalBounds } from './plan/guarded.ts';
export { leaveOut } from './plan/leave-out.ts';
export { snippetWords } from './plan/membership-notes.ts';
export { basisOf } from './plan/memory.ts';
export { orderSteps } from './plan/order.ts';
export * from './plan/planner.ts';
export { findTwins } from './plan/refusals.ts';
export { exceeds } from './plan/removal-share.ts';
export { findUndeclared } from './plan/undeclared.ts';
export { removalWords } from './render/closing.ts';
export { orderedPlan, printableJson, writePrintableJson } from './render/json.ts';
export { type MarkdownOptions, renderMarkdown } from './render/markdown.ts';
export { type Palette, plainPalette } from './render/palette.ts';
export { renderText, type TextOptions } from './render/text.ts';
export { visible, visibleLines } from './render/visible.ts';
export { describeAccess } from './review/describe-access.ts';
export { type Baseline, takeBaseline } from './saved/baseline.ts';
export { type Ended, findEnded } from './saved/ended.ts';
export { SavedPlanError, type SavedPlanFault } from './saved/errors.ts';
export { describeMoved, findMoved, type Moved } from './saved/moved.ts';
export * from './saved/saved-plan.ts';
export * from './view/access.ts';
export { type DeclaredSet, type Fit, type Manager, managerOf, otherManagers } from './view/owners.ts';
export { readAccessFacts } from './view/read-access.ts';
export type { Caller, Collection, Connection, View, ViewOptions } from './view/view.ts';
export { createView } from './view/workspace-view.ts';
