import { startupSnapshot } from 'node:v8';
import { schema } from './encoded-schema.ts';
import { open } from './open.ts';
import { runPlugin } from './plugin/process/run.ts';
import { usage } from './usage.ts';

/**
 * The program of the executable: what the modules do when they are read is done once, when it is built, and every start
 * takes the heap that they left (https://nodejs.org/api/v8.html#startup-snapshot-api). So no module may take anything
 * from the machine, such as a clock, randomness or the environment, while it is read.
 */
startupSnapshot.setDeserializeMainFunction(() => {
  runPlugin({ name: 'rolecall', usage, schema, load: () => Promise.resolve(open) });
});
