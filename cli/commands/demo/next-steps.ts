import { shellWord } from '../../output/words.ts';

/** Commands to copy, and what came before in one sentence. */
export function describeNextSteps(
  examples: string,
  passwords: Readonly<Record<string, string>>,
  elapsedMs: number,
): string {
  const variables = Object.entries(passwords).map(([name, value]) => `${name}=${shellWord(value)}`);
  return `Everything above was real, and is gone again. The same by hand, in the folder of the repository:

  alias rolecall='npm run --silent rolecall --'
  mkdir -m 700 ~/rolecall-data
  rolecall keys create --data ~/rolecall-data --scope admin --format json > ~/rolecall-data/key.json
  rolecall serve --data ~/rolecall-data --sqlite-folder /srv  # leave it running, and go on in a second terminal

  alias rolecall='npm run --silent rolecall --'
  export ROLECALL_URL=http://127.0.0.1:8480
  export ${variables.join(' ')}
  rolecall apply ${shellWord(examples)} --key-secret-file ~/rolecall-data/key.json

Then change something in ${examples}, for example lock a person, and look at it:

  rolecall plan ${shellWord(examples)} --key-secret-file ~/rolecall-data/key.json

The page that people work in, with a database to query, signed in as a person of the example:

  npm run demo -- --open

Your own definitions: "rolecall validate FOLDER" explains what is wrong with them, docs/definitions.md what they can say.

The demonstration did all that it claims, in ${(elapsedMs / 1000).toFixed(1)} s.`;
}

/** Where the page is, and how to leave it. */
export function describePage(person: string, link: string): string {
  return `Open this address in a browser on this machine. It signs you in as ${person}, once:

  ${link}

The data source Shop is a SQLite database with 20,000 orders. Ctrl-C ends the demonstration and removes everything.`;
}
