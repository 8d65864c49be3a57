// Headers of an accepted run.

export type StartFacts = {
  runId: string;
  /** Members of the request without an effect. */
  ignored: readonly string[];
  hasSystem: boolean;
  acceptsSystem: boolean;
};

export const describeIgnored = (ignored: readonly string[]): Record<string, string> =>
  ignored.length > 0 ? { 'x-millrace-ignored': ignored.join(', ') } : {};

/** The client must not repeat a request whose run was accepted: the agent would run twice. */
export const describeStart = ({ runId, ignored, hasSystem, acceptsSystem }: StartFacts): Record<string, string> => ({
  'x-millrace-run-id': runId,
  'x-should-retry': 'false',
  ...describeIgnored(ignored),
  ...(hasSystem && { 'x-millrace-system': acceptsSystem ? 'as-system' : 'as-user' }),
});
