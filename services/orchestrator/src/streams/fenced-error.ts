/**
 * Reports that the run belongs to another owner. The caller stops: it publishes no chunk and no event, writes no state,
 * and acks nothing.
 */
export class FencedError extends Error {
  constructor(tenant: string, runId: string) {
    super(`${tenant}.${runId} has another owner`);
    this.name = 'FencedError';
  }
}
