// The messages between a test worker and its service host: commands over IPC, and lines on the stdout of the host.
import { z } from 'zod';

export const hostCommandSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    id: z.number(),
    /** A folder below `services`. */
    service: z.string(),
    env: z.record(z.string(), z.string()),
  }),
  /** `of`: id of the start command. */
  z.object({ kind: z.literal('stop'), id: z.number(), of: z.number() }),
]);
export type HostCommand = z.infer<typeof hostCommandSchema>;

/** `url`: address of the model server. */
const hostAnswerSchema = z.object({ id: z.number(), url: z.string().optional(), error: z.string().optional() });
export type HostAnswer = z.infer<typeof hostAnswerSchema>;

/** A line of the host: an answer, or a log line of a service. */
export const hostLineSchema = z.union([z.object({ answer: hostAnswerSchema }), z.object({ service: z.string() })]);
