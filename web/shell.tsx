import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy } from './browser/lazy.tsx';
import { beginnings, followAgain, followEvents, liveness } from './events.ts';
import { Notices } from './parts/notices.tsx';
import type { Path } from './paths.ts';
import { call } from './person-client.ts';
import { navigate, path, route } from './router.ts';
import { me } from './session.ts';

const Account = lazy(async () => (await import('./views/account/account.tsx')).Account);
const Login = lazy(async () => (await import('./views/login.tsx')).Login);
const Editor = lazy(async () => (await import('./views/editor/editor.tsx')).Editor);
const Connect = lazy(async () => (await import('./views/connect/connect.tsx')).Connect);
const Query = lazy(async () => (await import('./views/query.tsx')).Query);
const Snippets = lazy(async () => (await import('./views/snippets/snippets.tsx')).Snippets);
const Snippet = lazy(async () => (await import('./views/snippets/snippet.tsx')).Snippet);
const Admin = lazy(async () => (await import('./views/admin/admin.tsx')).Admin);
const Home = lazy(async () => (await import('./views/home.tsx')).Home);

/** The page of those who are signed in: the way to the views, what every view shows, and one of them. */
export function Shell() {
  const session = me.value?.session.id;
  const administers = useSignal(false);
  const begun = beginnings.value;
  useEffect(() => {
    // Without an answer, the way to the administration is not shown; its address works all the same.
    call('getAdministrator', {}).then(
      ({ isAdministrator }) => (administers.value = isAdministrator),
      () => (administers.value = false),
    );
  }, [begun]);
  useEffect(() => (session === undefined ? undefined : followEvents(session)), [session]);
  return (
    <>
      <header>
        <a class="brand" href="/">
          Rolecall
        </a>
        <nav aria-label="Views">
          <NavLink to="/">Access</NavLink>
          <NavLink to="/snippets">Snippets</NavLink>
          {administers.value && <NavLink to="/admin">Administration</NavLink>}
          <NavLink to="/account">{me.value?.person.name}</NavLink>
        </nav>
      </header>
      <Liveness />
      <main>
        <Notices />
        <View />
      </main>
    </>
  );
}

function NavLink({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  const isHere = to === '/' ? path.value === to : path.value.startsWith(to);
  return (
    <a href={to} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  );
}

/** The view of each address. A view reads what its address names from `route`. */
const views: Partial<Readonly<Record<Path, ComponentType>>> = {
  '/': Home,
  '/account': Account,
  '/login': Login,
  '/query/:query': Query,
  '/admin': Admin,
  '/admin/sessions': Admin,
  '/admin/connections': Admin,
  '/admin/queries': Admin,
  '/admin/messages': Admin,
  '/admin/invitations': Admin,
  '/snippets': Snippets,
  '/snippets/:snippet': Snippet,
  '/snippets/:snippet/:version': Snippet,
  '/editor/:editor': Editor,
  '/connect/:dataSource': Connect,
};

/** The title of the window by the first part of the address: tabs and the history of a browser show it. An editor has its own. */
const titles: Readonly<Record<string, string>> = {
  '': 'What you reach',
  account: 'Your account',
  admin: 'Administration',
  connect: 'Connect',
  query: 'Query',
  snippets: 'Snippets',
};

function View() {
  useEffect(() => {
    const title = titles[path.value.split('/')[1] ?? ''];
    if (title !== undefined) document.title = `${title} · Rolecall`;
    return () => {
      document.title = 'Rolecall';
    };
  }, [path.value]);
  useEffect(() => {
    if (path.value === '/sign-in') navigate('/', 'replace');
  }, [path.value]);
  const Shown = views[route.value.pattern] ?? Home;
  return <Shown key={path.value} />;
}

/** Says quietly that the page does not follow the service at the moment. */
function Liveness() {
  return (
    <p class="liveness quiet" role="status">
      {liveness.value === 'away' && 'Not live: the service does not answer. The page keeps trying.'}
      {liveness.value === 'replaced' && (
        <>
          Not live: you have opened many pages since.{' '}
          <button type="button" onClick={followAgain}>
            Follow here
          </button>
        </>
      )}
    </p>
  );
}
