import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addListenerOptions } from '../../listening/options.ts';
import { databaseUrlOption, folderOption } from '../../options/store-options.ts';

/** `rolecall gateway`. */
export function addGateway(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'gateway',
    "let people in with their own database clients, in a process beside 'serve'",
    'ROLECALL_DATABASE_URL=postgresql://… ROLECALL_STORE_KEY=… rolecall gateway --gateway-postgresql 0.0.0.0:6432 --tls-cert cert.pem --tls-key key.pem',
  )
    .addOption(databaseUrlOption())
    // Only so that its error says what to do instead.
    .addOption(folderOption().hideHelp());
  addListenerOptions(command, {
    shows: 'show /metrics, /healthz and /readyz',
    stops: 'how long sessions with an open transaction may go on',
  })
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./gateway.ts'), 'gateway')));
}
