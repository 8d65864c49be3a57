// Every message in docs/wire.md strictly fits the schema that it names: a member outside of the schema is an error of
// the page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  API,
  SCHEMA_NAMES,
  apiReplySchema,
  cancelCallSchema,
  changesSchema,
  chunkBatchSchema,
  chunkSchema,
  endpointLoadSchema,
  endpointMetadataSchema,
  exchangeReplySchema,
  exchangeRequestSchema,
  forgetReplySchema,
  forgetRequestSchema,
  liveBatchSchema,
  revokedKeySchema,
  runRequestSchema,
  serviceLimitsSchema,
  sessionInputSchema,
  sessionOpenedSchema,
  sessionOpenSchema,
  sessionOutputSchema,
  srvInfoSchema,
  srvPingSchema,
  srvStatsSchema,
  stageCallSchema,
  stageReplySchema,
  toolReplySchema,
  toolRequestSchema,
  verdictSchema,
  verifyReplySchema,
  verifyRequestSchema,
  wireErrorSchema,
} from '@millrace/contracts';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { root } from './workspace.ts';

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  error: wireErrorSchema,
  'endpoint-metadata': endpointMetadataSchema,
  'endpoint-load': endpointLoadSchema,
  'service-limits': serviceLimitsSchema,
  changes: changesSchema,
  'stage-call': stageCallSchema,
  'stage-reply': stageReplySchema,
  verdict: verdictSchema,
  'session-open': sessionOpenSchema,
  'session-opened': sessionOpenedSchema,
  'session-input': sessionInputSchema,
  'session-output': sessionOutputSchema,
  'tool-request': toolRequestSchema,
  'tool-reply': toolReplySchema,
  'run-request': runRequestSchema,
  'chunk-batch': chunkBatchSchema,
  'live-batch': liveBatchSchema,
  chunk: chunkSchema,
  'cancel-call': cancelCallSchema,
  'srv-ping': srvPingSchema,
  'srv-info': srvInfoSchema,
  'srv-stats': srvStatsSchema,
  'api-reply': apiReplySchema,
  'exchange-request': exchangeRequestSchema,
  'exchange-reply': exchangeReplySchema,
  'verify-request': verifyRequestSchema,
  'verify-reply': verifyReplySchema,
  'revoked-key': revokedKeySchema,
  'forget-request': forgetRequestSchema,
  'forget-reply': forgetReplySchema,
  'api.run.answer': API.run.answer,
  'api.check.request': API.check.request,
  'api.check.answer': API.check.answer,
  'api.events.answer': API.events.answer,
  'api.suspended-list.answer': API['suspended-list'].answer,
  'api.resume.request': API.resume.request,
  'api.resume.answer': API.resume.answer,
  'api.replay.request': API.replay.request,
  'api.replay.answer': API.replay.answer,
};

const page = readFileSync(join(root, 'docs/wire.md'), 'utf8');
const blocks = [...page.matchAll(/^```json ([a-z.-]+)\n([^]*?)^```/gm)].map(([, name = '', text = ''], at) => ({
  number: at + 1,
  name,
  text,
}));

test('every kind of message has an example', () => {
  expect(new Set(blocks.map(({ name }) => name))).toEqual(new Set(Object.keys(SCHEMAS)));
});

test('`millrace schemas` knows every name of an example', () => {
  expect(Object.keys(SCHEMAS).filter((name) => !SCHEMA_NAMES.includes(name))).toEqual([]);
});

test.each(blocks)('message $number of docs/wire.md, a $name, fits its schema', ({ name, text }) => {
  const message: object = JSON.parse(text);
  const parsed = SCHEMAS[name]?.safeParse(message);
  expect(parsed?.error?.issues ?? []).toEqual([]);
  // The parsed message equals the page: no member was dropped as unknown.
  expect(parsed?.data).toMatchObject(message);
});
