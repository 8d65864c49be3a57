// Starts guardrails in a thread with modules of its own, and reports whether the language statistics are loaded before and after the start.
// Test files share their modules: statistics that another file has loaded prove nothing about the service.
import { parentPort, workerData } from 'node:worker_threads';
import { startService } from '@millrace/service';
import { z } from 'zod';
import { areLanguagesLoaded } from '../guards/language/detect-language.ts';
import { guardrailsService } from '../service.ts';

const env = z.record(z.string(), z.string()).parse(workerData);
const before = areLanguagesLoaded();
const service = await startService(guardrailsService, env);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage({ before, after: areLanguagesLoaded() });
await service.stop();
