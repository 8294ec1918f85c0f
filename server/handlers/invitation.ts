import type { Invitation, InvitedPerson } from '@rolecall/api';
import { Refusal } from '../refusal.ts';
import { makeInvitation } from '../sign-in/invitations.ts';
import { selectInvited } from '../store/one-time-token.ts';
import { existingPerson } from './existing.ts';
import type { Context, Handlers, RequestStore } from './handler.ts';

/** Parts that invite people, for a key and for an administrator. */
type InvitationParts = Pick<Context, 'seal' | 'origin' | 'mailer'> & {
  readonly store: Pick<RequestStore, 'read' | 'write'>;
};

export const invitationHandlers = {
  invitePerson: ({ params, body }, context) => invite(params.person, body.delivery, context),
  listInvitations: (_request, context) => listInvited(context),
} satisfies Partial<Handlers>;

/**
 * Makes a link by which a person sets up how they sign in.
 *
 * @param wanted default: by mail, if the service can send mail
 * @throws Refusal not_found, sign_in_unavailable, mail_not_set_up, mail_not_sent
 */
export async function invite(
  personId: string,
  wanted: 'mail' | 'link' | undefined,
  { store, seal, origin, mailer }: InvitationParts,
): Promise<Invitation> {
  const home = origin();
  if (home === undefined) {
    throw new Refusal('sign_in_unavailable', 'the service does not know the address under which browsers reach it');
  }
  const delivery = wanted ?? (mailer === undefined ? 'link' : 'mail');
  if (delivery === 'mail' && mailer === undefined) {
    throw new Refusal('mail_not_set_up', 'the service was started without --smtp-url');
  }
  const { person, token, expiresAt } = await store.write([], async (executor, record) => {
    const person = await existingPerson(executor, personId);
    const { id, ...made } = await makeInvitation(executor, seal, person.id);
    const fields = { person: person.id, delivery, expiresAt: made.expiresAt };
    record([{ kind: 'invitation', id, name: person.username, action: 'created', after: fields }]);
    return { person, ...made };
  });
  // Behind the hash sign, where no log and no Referer header has it.
  const link = `${home}/enrol#${token}`;
  if (delivery === 'mail') await send(mailer, { to: person.email, link, expiresAt });
  const { id, name, username, email } = person;
  const isSent = delivery === 'mail';
  return {
    person: { id, name, username, email },
    link: isSent ? null : link,
    sentTo: isSent ? email : null,
    expiresAt,
  };
}

/** People who cannot sign in yet or have an open invitation. */
export async function listInvited({ store }: Pick<InvitationParts, 'store'>): Promise<InvitedPerson[]> {
  const rows = await store.read(async (executor) => {
    const now = (await executor.now()).toISOString();
    return selectInvited(executor, now);
  });
  return rows.map(({ canSignIn, invitedAt, expiresAt, ...person }) => ({ person, canSignIn, invitedAt, expiresAt }));
}

/** @throws Refusal mail_not_sent */
async function send(
  mailer: Context['mailer'],
  { to, link, expiresAt }: { to: string; link: string; expiresAt: string },
): Promise<void> {
  const text = [
    'You are invited to sign in to Rolecall.',
    'Open this link to set up how you sign in:',
    link,
    `It works once, until ${expiresAt}. If you did not expect it, tell your administrator.`,
  ].join('\n\n');
  try {
    await mailer?.send({ to, subject: 'Your invitation to Rolecall', text });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown error';
    throw new Refusal('mail_not_sent', `the mail server did not take the message: ${why.slice(0, 300)}`, { cause });
  }
}
