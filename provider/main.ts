#!/usr/bin/env node
import { runPlugin } from './plugin/run.ts';

// Read only once Terraform knows where to connect to.
runPlugin(async () => (await import('./provider.ts')).createProvider);
