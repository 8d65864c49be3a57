// The calls of a run that are under way, or cannot be made yet, as the owner of the run reports them.
import { z } from 'zod';
import { runStatusSchema } from './run.ts';
import { shownSaveSchema } from './deferred-save.ts';
import { stageSchema } from '../base/stage.ts';
import { tokenSchema } from '../base/tokens.ts';

const ms = z.number().min(0);
const count = z.number().int().min(0);

export const callStateSchema = z
  .enum(['asked', 'working', 'absent', 'full', 'bus-away'])
  .describe(
    'asked: sent, no reply yet. working: the replica has sent a sign of life. absent: no replica is running. full: every replica refuses ' +
      'further calls. bus-away: the connection to NATS was lost',
  );
export type CallState = z.infer<typeof callStateSchema>;

export const callActivitySchema = z.object({
  kind: z.enum(['processor', 'tool', 'model', 'store']),
  names: z.array(z.string()).describe('entries of processors, a tool, a model, or the part of the store'),
  stage: stageSchema.optional(),
  service: z.string().optional(),
  replica: tokenSchema.optional().describe('the replica that works on the call'),
  attempt: z.number().int().min(1),
  state: callStateSchema,
  ageMs: ms.describe('since the call started, its earlier attempts included'),
  silentMs: ms.describe('since the last message of the called side, or since the call started'),
});
export type CallActivity = z.infer<typeof callActivitySchema>;

/** The `type` of the transient chunk that reports a call without an answer for 2 s; its `data` is a CallActivity. */
export const WAITING_CHUNK = 'data-run-waiting';

/** The answer of a run's owner. */
export const ownerReportSchema = z.object({
  epoch: z.number().int().min(1),
  step: count,
  doing: z
    .enum(['input', 'answer', 'tool-calls', 'step-end', 'finish'])
    .describe('the statement of the run loop that the run is in'),
  remainingMs: z.number().describe('until the deadline; negative after it'),
  calls: z.array(callActivitySchema).describe('the oldest first'),
  buffered: z.object({ chunks: count }).describe('chunks that the release policy holds back'),
});
export type OwnerReport = z.infer<typeof ownerReportSchema>;

export const runInspectionSchema = z.object({
  runId: tokenSchema,
  status: runStatusSchema,
  epoch: z.number().int().min(1),
  takeovers: count,
  records: count.describe('checkpoint records that count'),
  queuedMs: ms.optional().describe('how long the run has waited in the queue; absent after it started'),
  owner: z
    .object({
      id: tokenSchema,
      isAnswering: z.boolean().describe('false: the owner is stopped or lost; another orchestrator takes the run over'),
    })
    .optional()
    .describe('the orchestrator that drives the run; absent while no orchestrator does'),
  report: ownerReportSchema
    .optional()
    .describe('absent if the owner does not answer, or does not drive the run any more'),
  saves: z.array(shownSaveSchema).describe('deferred saves of the run'),
});
export type RunInspection = z.infer<typeof runInspectionSchema>;
