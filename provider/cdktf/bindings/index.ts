// Made by `npm run generate` from the provider's schema; do not edit.

export * from './data-rolecall-access/index.ts';
export * from './data-rolecall-data-source/index.ts';
export * from './data-rolecall-data-sources/index.ts';
export * from './data-rolecall-people/index.ts';
export * from './data-rolecall-permission/index.ts';
export * from './data-rolecall-permissions/index.ts';
export * from './data-rolecall-person/index.ts';
export * from './data-rolecall-role/index.ts';
export * from './data-rolecall-roles/index.ts';
export * from './data-rolecall-snippet/index.ts';
export * from './data-rolecall-snippets/index.ts';
export * from './data-source/index.ts';
export * from './permission/index.ts';
export * from './person/index.ts';
export * from './provider/index.ts';
export * from './role-data-source/index.ts';
export * from './role-data-sources/index.ts';
export * from './role-people/index.ts';
export * from './role-person/index.ts';
export * from './role/index.ts';
export * from './snippet/index.ts';
