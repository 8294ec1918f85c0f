import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addAuthenticator, browserOptions, launchBrowser } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';
import { invitationToken } from '../support/visitor.ts';

/** What the page of the service does, in the least of words; it runs in the browser. */
const page = `<!doctype html><script>
async function send(path, json, csrf) {
  const headers = { 'content-type': 'application/json', ...(csrf && { 'rolecall-csrf': csrf }) };
  const answer = await fetch('/person/v1' + path, { method: 'POST', headers, ...(json && { body: JSON.stringify(json) }) });
  return answer.json();
}
async function enrol(token) {
  const { csrfToken } = await send('/enrolment', { token });
  const options = await send('/passkey-setup', undefined, csrfToken);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })).toJSON();
  return send('/factor', { passkey: { name: 'This browser', credential } }, csrfToken);
}
async function signIn() {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await send('/sign-in/passkey-options'));
  const credential = (await navigator.credentials.get({ publicKey })).toJSON();
  return send('/sign-in/passkey', { credential });
}
</script>`;

it('a real browser sets a passkey up and signs in with it, without a name or a password', browserOptions, async () => {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const service = await startTestService({ publicUrl: origin, port });
  const ada = await makers(service).person();
  await using launched = await launchBrowser();
  const tab = await launched.browser.newPage();
  await tab.route(`${origin}/test-page`, (route) => route.fulfill({ contentType: 'text/html', body: page }));
  await tab.goto(`${origin}/test-page`);
  await addAuthenticator(tab);
  const token = await invitationToken(service, ada.id);
  const added: unknown = await tab.evaluate(`enrol(${JSON.stringify(token)})`);
  assert.partialDeepStrictEqual(added, { me: { state: 'whole', person: { id: ada.id } } });
  await tab.context().clearCookies();
  const me: unknown = await tab.evaluate('signIn()');
  assert.partialDeepStrictEqual(me, { state: 'whole', person: { id: ada.id }, session: { factors: ['passkey'] } });
});
