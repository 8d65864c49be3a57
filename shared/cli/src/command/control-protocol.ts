// The messages between the `millrace` command and a running `npm start`: HTTP on the loopback interface, authorized by the token of the file
// `.millrace/control.json`, which only its owner reads.
import { wireErrorSchema } from '@millrace/contracts';
import { z } from 'zod';

export const CONTROL_FILE = 'control.json';
/** Maximum number of replicas of one service on one machine. */
export const MAX_REPLICAS = 16;

export const controlFileSchema = z.object({ url: z.url(), token: z.string().min(1) });
export type ControlFile = z.infer<typeof controlFileSchema>;

export const controlRequestSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('restart'), service: z.string().max(200) }),
  z.strictObject({
    kind: z.literal('scale'),
    service: z.string().max(200),
    replicas: z.number().int().min(0).max(MAX_REPLICAS),
  }),
]);
export type ControlRequest = z.infer<typeof controlRequestSchema>;

/** `pids`: the processes of the service after the command. */
export const controlAnswerSchema = z.union([
  z.object({ pids: z.array(z.number().int()), logFile: z.string() }),
  z.object({ error: wireErrorSchema }),
]);
export type ControlAnswer = z.infer<typeof controlAnswerSchema>;
