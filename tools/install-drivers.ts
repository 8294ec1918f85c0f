/** Installs the drivers of databases in other languages, which the gateway is tested with. */
import { installDrivers } from '../test/support/drivers/drivers.ts';

process.stdout.write(`${await installDrivers((text) => process.stderr.write(`${text}\n`))}\n`);
