import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Preloaded into a command: writes down each module that it resolves. */
const list = process.env['LIST_MODULES'];
if (list !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      appendFileSync(list, `${resolved.url}\n`);
      return resolved;
    },
  });
}
