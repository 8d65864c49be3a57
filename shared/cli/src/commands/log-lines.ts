// Reads and formats lines of a log: JSON of a service, or the text of a server. Pure.
import { z } from 'zod';
import { makePrintable, toOneLine } from '../command/printable.ts';

export const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;
export const isLevel = (name: string): name is keyof typeof LEVELS => Object.hasOwn(LEVELS, name);

/** `time`: ms since 1970; a line without a time has that of the line before. */
export type LogLine = { service: string; text: string; time: number; fields: z.infer<typeof fieldsSchema> | undefined };
export type LogFilter = { services: readonly string[] | undefined; minLevel: number; run: string | undefined };

const fieldsSchema = z.looseObject({ level: z.number(), time: z.string(), msg: z.string().default('') });
/** Longer lines are cut. */
const MAX_LINE_CHARS = 2_000;
/** nats-server: `[12] 2026/11/24 07:00:01.000000 [INF] …`. */
const SERVER_LEVELS: Readonly<Record<string, number>> = { WRN: 40, ERR: 50, FTL: 60 };

export function readLine(service: string, text: string, before: number): LogLine {
  const fields = fieldsSchema.safeParse(parseJson(text)).data;
  const time = fields ? Date.parse(fields.time) : before;
  return { service, text, time: Number.isNaN(time) ? before : time, fields };
}

export function isShown({ fields, text }: LogLine, { minLevel, run }: LogFilter): boolean {
  const level = fields?.level ?? SERVER_LEVELS[/\[(WRN|ERR|FTL)\]/.exec(text)?.[1] ?? ''] ?? LEVELS.info;
  return level >= minLevel && (run === undefined || text.includes(run));
}

export function formatLine({ service, text, fields }: LogLine): string {
  if (!fields) return `${service}: ${toOneLine(text, MAX_LINE_CHARS)}`;
  const { level, time, msg, service: _service, replica: _replica, ...rest } = fields;
  const name = Object.entries(LEVELS).find(([, number]) => number === level)?.[0] ?? String(level);
  const more = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return makePrintable(toOneLine(`${time} ${name.padEnd(5)} ${service}: ${[msg, ...more].join(' ')}`, MAX_LINE_CHARS));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
