// Options of a server whose reports a test does not read.
export const quietListener = {
  port: 0,
  host: '127.0.0.1',
  maxConnections: 1_000,
  onError: () => undefined,
  onStalled: () => undefined,
  onRefused: () => undefined,
};
