import type { MembershipWindows } from '../model/membership-window.ts';
import type { AccessDataSource, AccessPermission, AccessPerson } from '../view/access.ts';

/** Facts of who reaches what, as steps change them. What is yet to be made has the name of its reference as its key. */
export interface Facts {
  readonly people: Map<string, AccessPerson>;
  readonly dataSources: Map<string, AccessDataSource>;
  readonly roles: Map<string, { name: string; people: Map<string, MembershipWindows>; dataSources: Set<string> }>;
  readonly permissions: Map<string, AccessPermission>;
  /** People who are deleted, and their permissions with them. */
  readonly gone: Set<string>;
}
