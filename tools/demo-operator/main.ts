/**
 * `npm run demo:operator`: the operator at work, between a real Kubernetes API server and the bundled service. Ends with 0 only
 * when everything that it tells was seen to be true.
 */
import { chapters } from './chapters.ts';
import { setStage } from './stage.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  say('Starting a Kubernetes API server, a workspace service and the operator.');
  await using stage = await setStage(say);
  for (const [index, { title, play }] of chapters.entries()) {
    say(`\n${index + 1}. ${title}.`);
    try {
      await play(stage, (seen) => {
        say(`  ✓ ${seen}`);
      });
    } catch (error) {
      say(`  ✗ ${error instanceof Error ? error.message : String(error)}`);
      return 1;
    }
  }
  say('\nAll of it was true. Nothing is left behind.');
  return 0;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
