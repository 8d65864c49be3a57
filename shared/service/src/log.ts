// Logs are JSON lines, by pino, on stdout or in the log file of a host's service. Every line has the service and the replica.
import { destination, pino, type Logger } from 'pino';

export type Log = Logger;

export function createLog(service: string, replica: string, level: string, fd?: number): Log {
  const options = { level, base: { service, replica }, timestamp: pino.stdTimeFunctions.isoTime };
  return fd === undefined ? pino(options) : pino(options, destination(fd));
}
