/** The addresses of the page's views, in the order in which they are tried. The service answers each with the page. */
export const paths = [
  '/',
  '/sign-in',
  '/enrol',
  '/login',
  '/account',
  '/admin',
  '/admin/sessions',
  '/admin/connections',
  '/admin/queries',
  '/admin/messages',
  '/admin/invitations',
  '/snippets',
  '/snippets/:snippet',
  '/snippets/:snippet/:version',
  '/query/:query',
  '/editor/:editor',
  '/connect/:dataSource',
] as const;

export type Path = (typeof paths)[number];
