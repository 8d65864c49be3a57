// A stream session: the chunks of one step through a list of adjacent processors on one replica. Both directions are streams
// of numbered batches; `processed` counts the chunks of the other side that are finished with. No message holds a subject: each end
// derives the other's from tokens, so that nobody can make it publish anywhere else. See docs/wire.md.
import { z } from 'zod';
import { chunkSchema } from './chunk.ts';
import { quicklyRead } from './json-fit.ts';
import { callHead, stageInputSchema } from './stage-call.ts';
import { tokenSchema } from './tokens.ts';
import { verdictSchema } from './verdict.ts';

/** Each end sends at least this often, in ms; after `silenceMs` without a word the other drops the session. */
export const SESSION_LIMITS = {
  heartbeatMs: 1_000,
  silenceMs: 3_000,
  windowChunks: 1_024,
  /** Enough has gathered: sent at once, though something is in flight. */
  batchChunks: 128,
  maxBatchBytes: 256 * 1024,
  /** How long a processor that has not used up its input holds output back. */
  holdMs: 1,
  /** So long is what a session has to tell waited for; who is silent loses its state. */
  tellMs: 250,
  /** So long a replica waits for methods that are at work, before it tells without their state. */
  tellWorkMs: 100,
  /** Of the message that tells. */
  maxToldBytes: 1024 * 1024,
} as const;

const count = z.number().int().min(0);

/** What a session ends with: one for each of its entries, its state inside; the first that is not continue stops the step. */
const verdictsSchema = z.array(verdictSchema);

export const sessionOpenSchema = quicklyRead(
  z.object({
    ...callHead,
    stage: z.literal('processOutputStream'),
    session: tokenSchema,
    orchestrator: tokenSchema.describe('who opens it: answers go to `out.<orchestrator>.<session>`'),
    input: stageInputSchema,
    chunks: z.array(chunkSchema).optional().describe('the first batch'),
    end: z.boolean().optional().describe('the first batch is the last: the reply is the whole answer'),
    same: z.boolean().optional().describe('chunks that come out unchanged may be named by their places'),
  }),
);
export type SessionOpen = z.infer<typeof sessionOpenSchema>;

export const sessionOpenedSchema = quicklyRead(
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

/** What both directions have. */
const batch = { session: tokenSchema, sequence: count, processed: count, chunks: z.array(chunkSchema) };

/** Chunks of the session's input, counted from 0 from its first chunk on, as they were sent. */
const rangeSchema = z.object({ from: count, count: z.number().int().min(1) });

/** Orchestrator to replica. */
export const sessionInputSchema = quicklyRead(
  z.object({
    ...batch,
    end: z.boolean().optional(),
    drop: z.boolean().optional().describe('the session is given up: nothing more is wanted'),
    tell: z
      .boolean()
      .optional()
      .describe('the stream was stopped: judge nothing more, give the verdicts as they stand'),
  }),
);
export type SessionInput = z.infer<typeof sessionInputSchema>;

/** Replica to orchestrator. `verdicts` ends the session. */
export const sessionOutputSchema = quicklyRead(
  z.object({
    ...batch,
    same: rangeSchema.optional().describe('these come out as they went in, before `chunks`'),
    verdicts: verdictsSchema.optional(),
    ms: z.array(z.number()).optional().describe("each entry's own time"),
    closing: z.boolean().optional().describe('sent by older replicas that stop; accepted and ignored'),
  }),
);
export type SessionOutput = z.infer<typeof sessionOutputSchema>;
