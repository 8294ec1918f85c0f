export * from './connection-uri.ts';
