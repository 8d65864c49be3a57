// Logs are JSON lines on stdout, by pino. Every line has the service and the replica.
import { pino, type Logger } from 'pino';

export type Log = Logger;

export function createLog(service: string, replica: string, level: string): Log {
  return pino({ level, base: { service, replica }, timestamp: pino.stdTimeFunctions.isoTime });
}
