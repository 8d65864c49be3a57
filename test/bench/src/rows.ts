// The rows of the bench. Each has a baseline from the same run, so that machines can be compared.
import type { Measure } from './bench-context.ts';
import { deltaRows } from './delta-rows.ts';
import { durableRows } from './rows/durable.ts';
import { guardBlockRows } from './guard-block-row.ts';
import { guardRows } from './guard-rows.ts';
import { consolePaint } from './rows/console-paint.ts';
import { followers } from './rows/followers.ts';
import { gatewayBursts, gatewayChunks, gatewayFirstText, gatewayIdle, gatewayWrite } from './rows/gateway.ts';
import { chatAgainstLiteLlm } from './rows/litellm.ts';
import { group } from './rows/group.ts';
import { submitToModel, takeover } from './rows/latency.ts';
import { referenceRows } from './rows/reference.ts';
import { runsList } from './rows/runs-list.ts';
import { noisyTenant } from './rows/tenants.ts';
import { paced64, runCost, runs16, sixInOne } from './rows/runs.ts';
import { modelStream } from './rows/model-stream.ts';
import { operations, threads } from './rows/store.ts';
import { chunks, pipeline, replicas, stageHop } from './rows/stream.ts';

export const rows: Record<string, Measure> = {
  'stage-hop': stageHop,
  'chunks-3x16': chunks('chunks-3x16', 16),
  'chunks-3x1': chunks('chunks-3x1', 1),
  pipeline,
  group,
  replicas,
  followers,
  'submit-to-model': submitToModel,
  takeover,
  operations,
  'run-cost-1': runCost('run-cost-1', 1),
  'run-cost-16': runCost('run-cost-16', 16),
  'six-in-one': sixInOne,
  threads,
  'runs-16': runs16,
  'paced-64': paced64,
  'gateway-chunks': gatewayChunks,
  'gateway-bursts': gatewayBursts,
  'gateway-write': gatewayWrite,
  'gateway-first-text': gatewayFirstText,
  'gateway-idle': gatewayIdle,
  'model-stream': modelStream('model-stream', 0),
  'model-stream-paced': modelStream('model-stream-paced', 5),
  ...guardRows,
  ...guardBlockRows,
  ...deltaRows,
};

/** Measured on request only: the rows of the reference and of the durable peers install packages, `noisy-tenant` submits 10,000 runs,
 * `runs-list` stores 100,000, `console-paint` needs Chromium, and those with LiteLLM install its proxy. */
export const requestedRows: Record<string, Measure> = {
  ...referenceRows,
  ...durableRows,
  'noisy-tenant': noisyTenant,
  'runs-list': runsList,
  'console-paint': consolePaint,
  'chat-litellm-bare': chatAgainstLiteLlm('bare'),
  'chat-litellm-filter': chatAgainstLiteLlm('filter'),
  'chat-litellm-guarded': chatAgainstLiteLlm('guarded'),
};
