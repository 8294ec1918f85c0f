/** The contract between the work loop of a workspace and what reconciles the workspace. */

/** The request for a reconcile. */
export interface Request {
  /** Labels of the objects that changed or come again. Their outcome is reported even where nothing is to be done. */
  readonly taken: ReadonlySet<string>;
  /** Labels of the objects whose steps the last reconcile left to this one: what changed meanwhile goes before them. */
  readonly later: ReadonlySet<string>;
  /** True if something changed since the last plan. */
  readonly isPlanDue: boolean;
}

/** Says when and why a workspace is reconciled again. An event may always come first. */
export type Result =
  /** With the next event: the workspace cannot be used until its Workspace or Secret changes. The plan is still due then. */
  | { readonly again: 'with an event'; readonly because: 'not reached' }
  /** With the next event: all is as declared, or backs off by itself, or waits for someone. */
  | { readonly again: 'with an event'; readonly because: 'done' }
  /** In a moment: something was done in the workspace, and other objects may have waited for it. */
  | { readonly again: 'in a moment'; readonly because: 'others wait' }
  /** At once: so many steps are left that new changes would have waited for them. */
  | { readonly again: 'at once'; readonly because: 'steps are left'; readonly later: ReadonlySet<string> };

/**
 * Makes a workspace as its objects declare it.
 *
 * - It is level-based: a request says that something may be different, and never what happened. All objects as they are then are
 *   compared with the workspace as it is then. Events may be lost, come twice or come together, and nothing is ever undone.
 * - It rejects where nothing can be said of the workspace: it could not be read, or the API server could not be written to. The statuses
 *   of the objects that were taken say so already. The work loop gives it the same objects again after a back-off, which grows with each error
 *   in a row. Where the service refuses the key as a whole, another try waits for an event instead, as there is one when the Secret changes.
 * - A call for one object that fails is no error of the reconcile: that object backs off by itself, its status says why, and the steps of
 *   the others run.
 * - It resolves with when and why the workspace is reconciled again. Nothing else brings it back, except for events, such as the moment at which a
 *   membership begins, and for objects that back off.
 */
export interface Reconciler {
  /** The length of the last plan, in milliseconds; 0 before the first. */
  readonly planningMs: number;
  readonly reconcile: (request: Request) => Promise<Result>;
}
