import { Option } from 'commander';

export interface DataOptions {
  data: string;
}

/** `--data`: there is no default, as a store that is made in the wrong folder looks like a store that has lost its data. */
export function dataOption(): Option {
  return new Option('--data <dir>', "the service's data folder").env('ROLECALL_DATA').makeOptionMandatory();
}
