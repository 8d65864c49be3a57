// A log that records its lines, for tests of log output.
import type { BusLog } from '@millrace/bus';

type CollectedLine = { level: string; message: string; fields: object };

export function createCollectedLog(): BusLog & { lines: CollectedLine[] } {
  const lines: CollectedLine[] = [];
  const collectAt = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  return {
    lines,
    debug: collectAt('debug'),
    info: collectAt('info'),
    warn: collectAt('warn'),
    error: collectAt('error'),
  };
}
