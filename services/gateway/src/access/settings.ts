// The gateway's own part of the environment.
import { z } from 'zod';

const count = (fallback: number, max = 1_000_000) => z.coerce.number().int().min(1).max(max).default(fallback);

export const settingsSchema = z.object({
  GATEWAY_PORT: z.coerce.number().int().min(0).max(65_535).default(8_080).describe('0: picked by the system'),
  GATEWAY_HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  GATEWAY_HOSTS: z
    .string()
    .default('')
    .transform(splitList)
    .describe('host names, separated by commas, that requests may name besides localhost; * accepts all'),
  GATEWAY_ORIGINS: z
    .string()
    .default('')
    .transform(splitList)
    .describe('origins of web pages, separated by commas, that may call the gateway'),
  CONSOLE_DIR: z.string().optional().describe('folder of the built console; absent: a page that names the build'),
  MAX_BODY_BYTES: count(4 * 1024 * 1024, 64 * 1024 * 1024),
  MAX_CONNECTIONS: count(10_000).describe('open connections of this process, idle ones included'),
  MAX_STREAMS: count(2_000).describe('open streams and waiting requests of this process'),
  MAX_STREAMS_PER_KEY: count(200).describe(
    'open streams and waiting requests of one key or subject, unless its limits are lower',
  ),
  REQUESTS_PER_MINUTE: count(6_000).describe('requests of one key or subject, unless its limits are lower'),
  FIRST_CONTENT_MS: count(10_000, 600_000).describe(
    'maximum delay of the headers of an OpenAI stream: an input that is blocked earlier is an HTTP error',
  ),
  KEEP_ALIVE_MS: count(15_000, 3_600_000).describe('interval of comments in an idle stream'),
});
export type GatewaySettings = z.output<typeof settingsSchema>;

function splitList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
