#!/usr/bin/env node
import { runPlugin } from './plugin/process/run.ts';

// Read only when Terraform asks for more than the schema.
runPlugin(async () => (await import('./open.ts')).open);
