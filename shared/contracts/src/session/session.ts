// Defines a stream session: the chunks of one step through a list of adjacent processors on one replica. Both
// directions are numbered batches; `processed` counts the processed chunks of the other side. No message contains a
// subject: each end derives it from tokens, so a peer cannot redirect its messages. See docs/wire.md.
import { z } from 'zod';
import { chunkSchema } from '../chunk/chunk.ts';
import { markFrequent } from '../base/json-fit.ts';
import { callHead, stageInputSchema } from '../stage/stage-call.ts';
import { tokenSchema } from '../base/tokens.ts';
import { verdictSchema } from '../stage/verdict.ts';

/**
 * Maximum interval between messages of each end, in ms; after `silenceMs` without a message the other end drops the
 * session.
 */
export const SESSION_LIMITS = {
  heartbeatMs: 1_000,
  silenceMs: 3_000,
  windowChunks: 1_024,
  /** Number of buffered chunks at which a batch is sent even with chunks in flight. */
  batchChunks: 128,
  maxBatchBytes: 256 * 1024,
  /** Maximum delay of output by a replica that has unprocessed input. */
  holdMs: 1,
  /** Timeout for the verdicts of a stopped session; a silent replica loses its state. */
  verdictsMs: 250,
  /** Time that a replica waits for running methods before it sends the verdicts without their state. */
  verdictsWorkMs: 100,
  /** Maximum size of the message with those verdicts. */
  maxVerdictsBytes: 1024 * 1024,
} as const;

const count = z.number().int().min(0);

/** Final verdicts of a session: one for each entry, with its state; the first that is not continue stops the step. */
const verdictsSchema = z.array(verdictSchema);

export const sessionOpenSchema = markFrequent(
  z.object({
    ...callHead,
    stage: z.literal('processOutputStream'),
    session: tokenSchema,
    orchestrator: tokenSchema.describe('the opening orchestrator: answers are sent to `out.<orchestrator>.<session>`'),
    input: stageInputSchema,
    chunks: z.array(chunkSchema).optional().describe('the first batch'),
    end: z.boolean().optional().describe('the first batch is the last: the reply is the whole answer'),
    same: z.boolean().optional().describe('unchanged chunks may be returned as ranges'),
  }),
);
export type SessionOpen = z.infer<typeof sessionOpenSchema>;

export const sessionOpenedSchema = markFrequent(
  z.union([
    z.object({
      opened: z.literal(true),
      replica: tokenSchema,
      service: tokenSchema.describe('batches go to `session.<service>.<replica>.<session>`'),
      served: z.number().int().min(1).describe('how many of the list, from its first entry on, this replica serves'),
      output: z.object({ chunks: z.array(chunkSchema), verdicts: verdictsSchema, ms: z.array(z.number()) }).optional(),
    }),
    z.object({ opened: z.literal(false), verdicts: verdictsSchema }),
  ]),
);
export type SessionOpened = z.infer<typeof sessionOpenedSchema>;

/** Members of both directions. */
const batch = { session: tokenSchema, sequence: count, processed: count, chunks: z.array(chunkSchema) };

/** Chunks of the session's input, counted from 0 from its first chunk on, as they were sent. */
const rangeSchema = z.object({ from: count, count: z.number().int().min(1) });

/** Orchestrator to replica. */
export const sessionInputSchema = markFrequent(
  z.object({
    ...batch,
    end: z.boolean().optional(),
    drop: z.boolean().optional().describe('the session is cancelled: no output is needed'),
    tell: z
      .boolean()
      .optional()
      .describe('the stream was stopped: return the current verdicts without further processing'),
  }),
);
export type SessionInput = z.infer<typeof sessionInputSchema>;

/** Replica to orchestrator. `verdicts` ends the session. */
export const sessionOutputSchema = markFrequent(
  z.object({
    ...batch,
    same: rangeSchema.optional().describe('input chunks that are returned unchanged, before `chunks`'),
    verdicts: verdictsSchema.optional(),
    ms: z.array(z.number()).optional().describe("each entry's own time"),
    closing: z.boolean().optional().describe('sent by older replicas that stop; accepted and ignored'),
  }),
);
export type SessionOutput = z.infer<typeof sessionOutputSchema>;
