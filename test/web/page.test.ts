/** Over the embedded store only: the page is files. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { paths } from '../../web/paths.ts';
import { startTestService, type TestService } from '../server/support/service.ts';
import { buildPage } from './support.ts';

buildPage();
const service: TestService = await startTestService();
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers });

describe('the page', () => {
  let html = '';
  before(async () => {
    html = await (await get('/')).text();
  });

  it('is at each address of its views, for GET and HEAD', async () => {
    for (const path of paths) {
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      assert.equal(await answer.text(), html);
      assert.equal((await fetch(`${service.url}${path}`, { method: 'HEAD' })).status, 200);
      assert.equal((await fetch(`${service.url}${path}`, { method: 'POST' })).status, 405);
    }
  });

  it('lets nothing run that is not one of its own files, and no other page frame it', async () => {
    const { headers } = await get('/');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-cache');
    assert.doesNotMatch(html, /<script(?![^>]* src="\/assets\/)|<style| on[a-z]+=|https?:/);
  });

  it('has files whose names change with their content, compressed for browsers that take it', async () => {
    const files = [...html.matchAll(/\/assets\/[^"]+/g)].map(([file]) => file);
    assert.equal(files.length, 2);
    for (const file of files) {
      const plain = await get(file, { 'accept-encoding': 'gzip;q=1, br;q=0' });
      assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(plain.headers.get('content-encoding'), null);
      const compressed = await fetch(`${service.url}${file}`, { headers: { 'accept-encoding': 'br' } });
      assert.equal(compressed.headers.get('content-encoding'), 'br');
      assert.equal(await compressed.text(), await plain.text());
    }
    assert.equal((await get('/assets/other.js')).status, 404);
    assert.equal((await get('/assets/')).status, 404);
    assert.equal((await get('/assets/..%2findex.html')).status, 404);
  });
});
