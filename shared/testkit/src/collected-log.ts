// A log that keeps its lines, for tests of what is said aloud.
import type { BusLog } from '@millrace/bus';

type LogLine = { level: string; message: string; fields: object };

export function createCollectedLog(): BusLog & { lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
