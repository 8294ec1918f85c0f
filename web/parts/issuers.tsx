import type { SignInOptions } from '@rolecall/api';
import { path } from '../router.ts';

/** Links to OpenID providers, which lead back to the place that is shown. @param fresh to prove again who one is */
export function Issuers({ issuers, fresh = false }: Pick<SignInOptions, 'issuers'> & { readonly fresh?: boolean }) {
  // The query names a tab, for example, and the fragment the code of a tool that waits.
  const place = path.value === '/sign-in' ? '/' : path.value + location.search + location.hash;
  const query = `returnTo=${encodeURIComponent(place)}${fresh ? '&fresh=true' : ''}`;
  return (
    <div class="ways">
      {issuers.map(({ id, name }) => (
        <a key={id} class="button" href={`/person/v1/sign-in/oidc/${encodeURIComponent(id)}?${query}`} target="_self">
          {fresh ? 'Prove it with' : 'Sign in with'} {name}
        </a>
      ))}
    </div>
  );
}
