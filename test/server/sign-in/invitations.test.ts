import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Invitation, InvitedPerson } from '@rolecall/api';
import { listAudit } from '@rolecall/server';
import { SMTPServer } from 'smtp-server';
import { readMailOptions } from '../../../server/sign-in/mailer.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { startTestService } from '../support/service.ts';

const mails: string[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onRcptTo: ({ address }, _session, done) => {
    done(address.startsWith('refused') ? new Error('no such mailbox') : null);
  },
  onData: (stream, _session, done) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      mails.push(Buffer.concat(parts).toString('utf8').replaceAll('=\r\n', '').replaceAll('=3D', '='));
      done();
    });
  },
});
const smtpPort = await new Promise<number>((resolve) => {
  const server = smtp.listen(0, '127.0.0.1', () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : 0);
  });
});
after(() => {
  smtp.close();
});

const service = await startTestService({
  mail: { url: `smtp://127.0.0.1:${smtpPort}`, from: 'rolecall@example.com' },
});
const withoutMail = await startTestService();
const linkPattern = /http:\/\/127\.0\.0\.1:\d+\/enrol#rolecall_invitation_[\w-]{43}/;

describe('an invitation', () => {
  it('is mailed where the service can send mail, and then no administrator sees the link', async () => {
    const ada = await makers(service).person();
    const sent = await service.ok<Invitation>('POST', `/person/${ada.id}/invitation`, { form: {} });
    assert.equal(sent.link, null);
    assert.equal(sent.sentTo, ada.email);
    const mail = mails.at(-1) ?? '';
    assert.match(mail, new RegExp(`^To: ${ada.email}`, 'm'));
    assert.match(mail, linkPattern);
  });

  it('is answered as a link on request, and where there is no mail server', async () => {
    const ada = await makers(service).person();
    const asked = await service.ok<Invitation>('POST', `/person/${ada.id}/invitation`, { form: { delivery: 'link' } });
    assert.match(String(asked.link), linkPattern);
    const ben = await makers(withoutMail).person();
    const link = await withoutMail.ok<Invitation>('POST', `/person/${ben.id}/invitation`);
    assert.match(String(link.link), linkPattern);
    assert.ok(Math.abs(Date.parse(link.expiresAt) - Date.now() - 24 * 3_600_000) < 60_000);
    const refused = await withoutMail.call('POST', `/person/${ben.id}/invitation`, { form: { delivery: 'mail' } });
    assertProblem(refused, 409, 'mail_not_set_up');
  });

  it('that the mail server refuses is said to be refused, with its answer', async () => {
    const ada = await makers(service).person({ email: 'refused@example.com' });
    const answer = await service.call('POST', `/person/${ada.id}/invitation`, { form: {} });
    assertProblem(answer, 502, 'mail_not_sent');
    assert.match(answer.text, /no such mailbox/);
  });

  it('is for administrators, is in the audit trail without its token, and shows in the list until the person can sign in', async () => {
    const [ada, ben] = [await makers(withoutMail).person(), await makers(withoutMail).person()];
    const path = `/person/${ada.id}/invitation`;
    assertProblem(await withoutMail.call('POST', path, { key: withoutMail.keys.write }), 403, 'insufficient_scope');
    const { link } = await withoutMail.ok<Invitation>('POST', path);
    const trail = JSON.stringify(await listAudit({ ...withoutMail.store, query: { limit: 100 } }));
    assert.match(trail, /"invitePerson".*"invitation"/);
    assert.ok(!trail.includes(String(link).split('#')[1] ?? 'no link'));
    const listed = await withoutMail.ok<InvitedPerson[]>('GET', '/invitation');
    const of = (id: string) => listed.find(({ person }) => person.id === id);
    assert.equal(typeof of(ada.id)?.expiresAt, 'string');
    assert.deepEqual([of(ben.id)?.expiresAt, of(ben.id)?.canSignIn], [null, false]);
    assertProblem(await withoutMail.call('POST', '/person/nobody/invitation'), 404, 'not_found');
  });
});

describe('the address of the mail server', () => {
  const from = 'rolecall@example.com';
  it('asks for TLS to any other machine, and for none on this one', () => {
    assert.deepEqual(
      ['smtps://mail.example.com', 'smtp://mail.example.com', 'smtp://10.0.0.1:25', 'smtp://127.0.0.1:25'].map(
        (url) => {
          const { secure, requireTLS } = readMailOptions({ url, from });
          return secure || requireTLS;
        },
      ),
      [true, true, true, false],
    );
  });

  it('is refused without repeating the password in it', () => {
    for (const url of ['http://u:secret@mail.example.com', 'secret', 'smtp://']) {
      assert.throws(
        () => readMailOptions({ url, from }),
        (error: Error) => !error.message.includes('secret'),
      );
    }
    assert.throws(() => readMailOptions({ url: 'smtp://mail.example.com', from: 'Ada' }), /sender/);
  });
});
