#!/usr/bin/env node
import { schema } from './encoded-schema.ts';
import { runPlugin } from './plugin/process/run.ts';
import { usage } from './usage.ts';

// The code is read only when Terraform asks for more than the schema.
runPlugin({ name: 'rolecall', usage, schema, load: async () => (await import('./open.ts')).open });
