import type { Client, Invitation } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { toCsv } from '../../output/csv.ts';
import { formatTable } from '../../output/table.ts';
import { failIfStopped } from '../../process/interrupts.ts';
import type { WorkspaceFlags } from '../../workspace/connection.ts';
import { findPersonId } from '../../workspace/find-person.ts';
import { withService } from '../../workspace/read-live.ts';

export interface InviteOptions extends CommonOptions, Omit<WorkspaceFlags, 'workspace'> {
  all?: true;
  link?: true;
}

/** `rolecall people invite`. */
export async function invite(context: Context, person: string | undefined, options: InviteOptions): Promise<ExitCode> {
  if ((person === undefined) === (options.all === undefined)) {
    throw new CliError('ERR_USAGE', 'name a person, or give --all for everyone who cannot sign in yet');
  }
  const invitations: Invitation[] = [];
  try {
    await withService(context, options, async (client, interrupts) => {
      const people = person === undefined ? await uninvited(client) : [await findPersonId(client, person)];
      interrupts.protectWrites();
      // One after the other: a mail server takes only so many.
      for (const id of people) {
        failIfStopped(interrupts);
        invitations.push(await inviteOne(client, id, options));
      }
    });
  } catch (error) {
    // The links are shown this once: those that were made are shown even if the next one fails.
    if (invitations.length > 0) show(context, invitations, options);
    throw error;
  }
  show(context, invitations, options);
  return exitCodes.ok;
}

function inviteOne(client: Client, person: string, { link }: InviteOptions): Promise<Invitation> {
  return client.call('invitePerson', { params: { person }, body: link === undefined ? {} : { delivery: 'link' } });
}

/** Everyone without a way to sign in. People with an open invitation get a new one. */
async function uninvited(client: Client): Promise<string[]> {
  const people = await client.call('listInvitations', {});
  return people.filter(({ canSignIn }) => !canSignIn).map(({ person }) => person.id);
}

function show({ io, output }: Context, invitations: readonly Invitation[], { format, all }: InviteOptions): void {
  const headings = ['username', 'email', 'link'];
  const rows = invitations.map(({ person, link, sentTo }) => [
    person.username,
    person.email,
    link ?? `sent to ${String(sentTo)}`,
  ]);
  if (format === 'csv') {
    io.stdout.write(toCsv(headings, rows));
    return;
  }
  const [only] = invitations;
  if (all === undefined && only !== undefined) {
    const remark = `It works once, until ${only.expiresAt}.`;
    output.say(
      only.link === null
        ? `The link was sent to ${visible(String(only.sentTo))}. ${remark}`
        : `${only.link}\n${remark}`,
    );
  } else if (invitations.length === 0) {
    output.say('Everyone can sign in already.');
  } else {
    output.say(formatTable(headings, rows));
  }
  output.document(invitations);
}
