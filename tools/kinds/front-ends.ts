import type { KindName } from '@rolecall/crds';

/** How the three front ends handle a kind, beyond what the schemas say. */
export interface FrontEnds {
  /** `rolecall apply`. */
  readonly apply: string;
  /** The types of Terraform that do the same. */
  readonly resources: readonly string[];
  readonly terraform: string;
  /** Kubernetes: the effect of changing and deleting an object, and the reasons that only this kind has. */
  readonly kubectl: string;
}

export const frontEnds: Readonly<Record<KindName, FrontEnds>> = {
  Workspace: {
    apply:
      'Finds the workspace. `ROLECALL_URL`, `ROLECALL_KEY_ID` and `ROLECALL_KEY_SECRET` override what the definition says. If you declare several, choose one with `--workspace NAME`; then a `ROLECALL_URL` with another address is an error. For a `secretKeyRef`, it reads the variables `ROLECALL_SECRET_<NAME>_<KEY>`.',
    resources: [],
    terraform:
      'Use the `provider` block instead: `url`, `key_id`, `key_secret`, `ca_file`, `max_removal_percent`, `minimum_removal`. There is no `exact`: Terraform removes what was in its state.',
    kubectl:
      '`Ready` says whether the operator can reach the workspace with its key; the objects of the workspace wait for that. The key comes from a Secret (`secretKeyRef`), which the operator watches; `caFile` and the other sources are for the command line. A deleted Workspace waits until none of its objects is left. Reasons that only this kind has: `Unreachable`, `WriteForbidden`, `RemovalsRefused`, `RemovalsSuspended`, `Incomplete`.',
  },
  DataSource: {
    apply:
      'One call creates it, and one call changes what differs. A plan compares its whole connection with a key of scope `read`; on a service without snapshots it reads the connection, which needs scope `admin`. It shows a new password as two fingerprints.',
    resources: ['data_source'],
    terraform:
      '`alias`, `name`, `uri` are the same; the password is `password_wo`, which is in no plan and no state. Terraform changes an `alias` in place, because the state has the id.',
    kubectl:
      'The password comes from a Secret, and the operator sends it again as soon as that changes. It changes an `alias` in place, because the status has the id. Deleting the object deletes the data source with its memberships, permissions and queries. Reasons that only this kind has: `SecretNotFound`, `PasswordUndeclared`, `AliasTaken`.',
  },
  Person: {
    apply:
      'One call creates a person; if `locked` is true, one more locks them. Without the annotation, a run refuses a changed name or e-mail address (`replace-person`).',
    resources: ['person'],
    terraform:
      '`username`, `name`, `email`, `locked` are the same; the annotation is the argument `protected`. For `ignore`, write `lifecycle { ignore_changes = [name] }`, which the CDKTF construct does by itself. A changed `username` is a replacement too, because the state has the id.',
    kubectl:
      'A changed `username` is a replacement too, because the status has the id. Deleting the object locks and deletes the person. Reasons that only this kind has: `ReplacePerson`, `EmailTaken`, `UsernameTaken`, `Protected`, `LastMember`.',
  },
  Role: {
    apply:
      'One call creates it, and one call adds or removes each member. Grants go before the revocations that need them.',
    resources: ['role', 'role_people', 'role_data_sources'],
    terraform:
      'The lists are separate resources, authoritative like the lists here; without them, Terraform leaves members alone. The function `definitions` and the CDKTF construct write the data sources of a `dataSourceSelector` and of contained `roles` into the list. In plain HCL, write `distinct(concat(...))` over the lists of both roles. If `name` changes, Terraform fills the new role before it removes the old one.',
    kubectl:
      'A label that changes on a DataSource, and a new DataSource with the label, change the roles that select it at once. While a DataSource is not valid and the operator does not know what it declared, the data sources of roles with a `dataSourceSelector` stay as they are, with the reason `Undetermined`. A change of a contained role changes the roles that contain it in the same run. While a contained role is not declared, or roles contain each other, every role that leads there is left as it is; its reason is `MissingReference` or `Invalid`. If `name` changes, the operator fills the new role before it removes the old one, because the status has the id. Deleting the object deletes the role, and its members lose the access that it gave. Reasons that only this kind has: `Protected`, `LastMember`.',
  },
  RoleMembership: {
    apply:
      'One call adds the member, with all times that definitions give them; one call changes the times. It removes a membership only where its time is over or changed; if you delete the definition, the membership stays, unless the role lists its members.',
    resources: ['role_person', 'role_data_source'],
    terraform:
      'One resource for each membership, for good or for one time (`starts_at`, `expires_at`, `duration`). Destroying it ends the membership. Several times of one person in one role are for YAML. On a service that does not keep times, the plan is refused.',
    kubectl:
      'It waits for the role and the member (`MissingReference`). You can change its time in place. Where it has one, `status.state` is `Pending`, `Active` or `Expired`, and `status.startsAt` and `status.expiresAt` are the window; a `duration` counts from when the operator first gives the role, which the status remembers. Deleting the object ends the membership, unless the role lists the member; of several times, only its own.',
  },
  Permission: {
    apply:
      'One call grants it. If its window begins later, the grant is made now and opens by itself. A `duration` alone is refused: `rolecall anchor` writes the start into the file.',
    resources: ['permission'],
    terraform:
      '`starts_at`, `expires_at`, `duration` are the same; `person_id` and `data_source_id` take ids. A `duration` counts from the first grant, which the state remembers. There is no `reason`.',
    kubectl:
      '`status.state` is `Active` while the workspace has the grant and its window is open, and `Expired` once the window is over. Otherwise it is `Pending`: the window has not begun, or nothing is granted (`Reason` says why). It is empty if the operator could ask no workspace, or the object is `Invalid`. `status.startsAt` and `status.expiresAt` are the window. A `duration` counts from the first grant, which the status remembers. If you replace a `startsAt` by a `duration` alone, that counts from the `startsAt` in the status, not from now. While a permission waits, is paused or only observed, it has no window yet and loses none of its length. If it has only a `duration`, was never granted and is annotated `rolecall.dev/ended`, it is `Expired` and grants nothing. After a change of window, person or data source, the operator grants the new permission before it ends the old one. If the new window is over, it only ends the old one, so an `expiresAt` of now revokes. Deleting the object ends the grant, too. Reasons that only this kind has: `WindowPast`, if nothing was ever granted for the object, and `WindowTooLong`.',
  },
  Snippet: {
    apply:
      'One call creates it. New text takes two calls, a version and its activation, or only the activation if an older version has that text.',
    resources: ['snippet'],
    terraform:
      '`name`, `description`, `text`, `public_access_level`, `locked` are the same; the owner is `owner_person_id` or `owner_role_id`. Terraform changes name and owner in place, because the state has the id.',
    kubectl:
      'The text may come from a ConfigMap, which the operator watches. It changes name and owner in place, because the status has the id. Deleting the object deletes the snippet with its versions. Reason that only this kind has: `ConfigMapNotFound`.',
  },
};
