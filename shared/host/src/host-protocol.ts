// The messages between a process and its service host, over IPC.
import { z } from 'zod';

const startSchema = z.object({
  /** Absolute path of the module that exports the service. */
  module: z.string(),
  env: z.record(z.string(), z.string()),
  /** Absolute path of the service's log. Absent: the stdout of the host. */
  logFile: z.string().optional(),
});
export type HostedStart = z.infer<typeof startSchema>;

export const hostCommandSchema = z.discriminatedUnion('kind', [
  startSchema.extend({ kind: z.literal('start'), id: z.number() }),
  /** `of`: id of the start command. */
  z.object({ kind: z.literal('stop'), id: z.number(), of: z.number() }),
]);
export type HostCommand = z.infer<typeof hostCommandSchema>;

/** `url`: address of a program that serves HTTP. */
export const hostAnswerSchema = z.object({
  id: z.number(),
  url: z.string().optional(),
  error: z.string().optional(),
});
export type HostAnswer = z.infer<typeof hostAnswerSchema>;
