// Options of a server for tests that do not read its reports.
export const quietListener = {
  port: 0,
  host: '127.0.0.1',
  maxConnections: 1_000,
  onError: () => undefined,
  onStalled: () => undefined,
  onRefused: () => undefined,
};
