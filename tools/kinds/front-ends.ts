import type { KindName } from '@rolecall/crds';

/** What the three front ends make of a kind, besides what the schemas say. */
export interface FrontEnds {
  /** `rolecall apply`. */
  readonly apply: string;
  /** The types of Terraform that do the same. */
  readonly resources: readonly string[];
  readonly terraform: string;
  /** Kubernetes: what a changed and a deleted object does, and which reasons are this kind's own. */
  readonly kubectl: string;
}

export const frontEnds: Readonly<Record<KindName, FrontEnds>> = {
  Workspace: {
    apply:
      'Finds the workspace by it: `ROLECALL_URL`, `ROLECALL_KEY_ID` and `ROLECALL_KEY_SECRET` go first, then what is declared here. Where several are declared, `--workspace NAME` chooses. A `ROLECALL_URL` that leads elsewhere is an error then. A `secretKeyRef` is read from the variables `ROLECALL_SECRET_<NAME>_<KEY>`.',
    resources: [],
    terraform:
      'Its place is taken by the `provider` block: `url`, `key_id`, `key_secret`, `ca_file`, `max_removal_percent`, `minimum_collection`. There is no `exact`: Terraform removes what was in its state.',
    kubectl:
      '`Ready` says whether the workspace can be reached with its key; its objects wait for that. The key comes from a Secret (`secretKeyRef`), which is watched; `caFile` and the other sources are for the command line. Deleting it waits until none of its objects is left. Reasons of its own: `Unreachable`, `RemovalsRefused`, `RemovalsSuspended`, `Incomplete`.',
  },
  DataSource: {
    apply:
      'One call makes it, one call changes what differs. Each plan reads its connection, which takes a key of scope `admin`. A new password is shown as two fingerprints.',
    resources: ['data_source'],
    terraform:
      '`alias`, `name`, `uri` are as here; the password is `password_wo`, which is in no plan and no state. A changed `alias` is changed in place, because the state has the id.',
    kubectl:
      'The password comes from a Secret, and is sent again as soon as that changes. A changed `alias` is changed in place, because the status has the id. Deleting the object deletes the data source with its memberships, permissions and queries. Reasons of its own: `SecretNotFound`, `PasswordUndeclared`.',
  },
  Person: {
    apply:
      'One call makes a person, one more locks one who is declared locked. A run without the annotation refuses a changed name or e-mail address (`replace-person`).',
    resources: ['person'],
    terraform:
      '`username`, `name`, `email`, `locked` are as here; the annotations are the arguments `replace_allowed` and `protected`. A changed `username` is a replacement too, because the state has the id.',
    kubectl:
      'A changed `username` is a replacement too, because the status has the id. Deleting the object locks and deletes the person. Reasons of its own: `ReplacePerson`, `EmailTaken`, `Protected`, `LastMember`.',
  },
  Role: {
    apply: 'One call makes it, one call a member adds or removes. Grants go before the revocations that need them.',
    resources: ['role', 'role_people', 'role_data_sources'],
    terraform:
      'The lists are resources of their own, authoritative like the lists here; leave them out, and members are left alone. A changed `name` fills the new role before the old one goes.',
    kubectl:
      'A changed `name` fills the new role before the old one goes, because the status has the id. Deleting the object deletes the role; who was in it loses what it gave. Reasons of its own: `Protected`, `LastMember`.',
  },
  RoleMembership: {
    apply:
      'One call adds the member. It adds only: without the definition the membership stays, unless the role lists its members.',
    resources: ['role_person', 'role_data_source'],
    terraform: 'One resource a membership, which takes it away again when it is destroyed.',
    kubectl:
      'It waits for the role and the member (`MissingReference`). Deleting the object ends the membership, unless the role lists the member.',
  },
  Permission: {
    apply:
      'One call grants it. A window that begins later is granted now, and opens by itself. A `duration` alone is refused: `rolecall anchor` writes the start into the file.',
    resources: ['permission'],
    terraform:
      '`starts_at`, `expires_at`, `duration` are as here, `person_id` and `data_source_id` take ids. A `duration` counts from the first grant, which the state remembers. There is no `reason`.',
    kubectl:
      '`status.state` is `Active` while the workspace has the grant and its window is open, `Expired` once the window is over, and else `Pending`: it has not begun, or nothing is granted (`Reason` says why); it is empty where no workspace could be asked, or the object is `Invalid`; `status.startsAt` and `status.expiresAt` are the window. A `duration` counts from the first grant, which the status remembers: what waits for something, is paused or only observed until then has no window yet, and loses nothing of its length. One that has only that, was never granted and is annotated `rolecall.dev/ended` is `Expired`, and grants nothing. A changed window, person or data source is granted before the old grant ends, and a window that is changed to one that is over only ends it: an `expiresAt` of now revokes. Deleting the object ends the grant, too. Reason of its own: `WindowPast`, where nothing was ever granted for the object.',
  },
  Snippet: {
    apply:
      'One call makes it. New text takes two calls, a version and its activation, or one where an older version has the text already.',
    resources: ['snippet'],
    terraform:
      '`name`, `description`, `text`, `public_access_level`, `locked` are as here; the owner is `owner_person_id` or `owner_role_id`. Name and owner are changed in place, because the state has the id.',
    kubectl:
      'The text may come from a ConfigMap, which is watched. Name and owner are changed in place, because the status has the id. Deleting the object deletes the snippet with its versions. Reason of its own: `ConfigMapNotFound`.',
  },
};
