#!/usr/bin/env node
import { runPlugin } from './plugin/run.ts';

runPlugin();
