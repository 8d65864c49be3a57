// The thread that compiles schemas of callers. Each message is a schema with a number; the answer has the same number and
// the problem, if there is one.
import { parentPort } from 'node:worker_threads';
import { jsonSchemaSchema } from '@millrace/contracts';
import { z } from 'zod';
import { findSchemaProblem } from './json-schema.ts';

/** Shorter than in an orchestrator's own checks: if a processor changes the object, the event loop compiles the schema. */
const MAX_COMPILE_MS = 100;

const jobSchema = z.object({ job: z.number(), schema: jsonSchemaSchema });

parentPort?.on('message', (message) => {
  const { job, schema } = jobSchema.parse(message);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ job, problem: findSchemaProblem(schema, MAX_COMPILE_MS) });
});
