import type { AccessGrant } from '@rolecall/api';

/** Says where access is changed: in the definitions in Git that declared it. */
export function HowToAsk({ grants }: { readonly grants: readonly AccessGrant[] }) {
  const managers = [...new Set(grants.flatMap(({ managedBy }) => (managedBy === null ? [] : [managedBy])))];
  return (
    <p class="quiet">
      {managers.length === 0
        ? 'Access is changed in Git: ask those who maintain the definitions of your organisation.'
        : `To ask again, propose a change in Git: ${managers.join(', ')} declared it.`}
    </p>
  );
}
