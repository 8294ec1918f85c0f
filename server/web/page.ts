import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The page that people work in, as it was built: in the published package beside this folder, else in `web/dist`. */
const folders = [path.join(import.meta.dirname, 'dist'), path.join(import.meta.dirname, '../../web/dist')];

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the route serves a file of the page: requests of all files are counted together. */
    isPage?: boolean;
  }
}

/** Nothing is loaded from another host, nothing runs that is not a file of the page, and no other page may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

/** The files of the page, in memory. */
export interface Page {
  /** The addresses of its views: each is answered with the page itself. */
  readonly paths: readonly string[];
  readonly index: Asset;
  readonly assets: ReadonlyMap<string, Asset>;
}

/** Reads the built page; undefined if it was not built. */
export function readPage(): Page | undefined {
  const folder = folders.find((candidate) => existsSync(path.join(candidate, 'index.html')));
  if (folder === undefined) return undefined;
  const assets = path.join(folder, 'assets');
  const names = readdirSync(assets).filter((name) => !name.endsWith('.br'));
  return {
    paths: JSON.parse(readFileSync(path.join(folder, 'paths.json'), 'utf8')) as string[],
    index: readAsset(path.join(folder, 'index.html')),
    assets: new Map(names.map((name) => [name, readAsset(path.join(assets, name))])),
  };
}

function readAsset(file: string): Asset {
  const type = mediaTypes[path.extname(file)] ?? 'application/octet-stream';
  return { type, plain: readFileSync(file), compressed: readFileSync(`${file}.br`) };
}

/** Serves the page. The names of its files change with their content. It has no secrets: everything that it shows comes from the person's API. */
export function registerPage(app: FastifyInstance, { paths, index, assets }: Page): void {
  for (const url of paths) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { isPage: true },
      handler: (request, reply) => {
        void reply.header('cache-control', 'no-cache').header('content-security-policy', policy);
        void reply.header('cross-origin-opener-policy', 'same-origin').header('x-frame-options', 'DENY');
        sendAsset(request, reply, index);
      },
    });
  }
  for (const [name, asset] of assets) {
    app.route({
      method: ['GET', 'HEAD'],
      url: `/assets/${name}`,
      config: { isPage: true },
      handler: (request, reply) => {
        void reply.header('cache-control', 'public, max-age=31536000, immutable');
        sendAsset(request, reply, asset);
      },
    });
  }
}

function sendAsset({ headers }: FastifyRequest, reply: FastifyReply, { type, plain, compressed }: Asset): void {
  const takesBrotli = /\bbr\b(?!\s*;\s*q=0(?:\.0+)?\b)/.test(headers['accept-encoding'] ?? '');
  void reply
    .header('content-type', type)
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-resource-policy', 'same-origin');
  if (takesBrotli) void reply.header('content-encoding', 'br');
  void reply.send(takesBrotli ? compressed : plain);
}
