/** The run belongs to another owner. Whoever gets this stops and says nothing more: no chunk, no event, no state, no word to the queue. */
export class FencedError extends Error {
  constructor(tenant: string, runId: string) {
    super(`${tenant}.${runId} has another owner`);
    this.name = 'FencedError';
  }
}
