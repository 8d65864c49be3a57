// How many runs of each tenant are driven here. What is over a tenant's share waits in the queue, and comes again later the more of it was
// put off: a queue that is full of one tenant's commands must not go round all the time.

/** A command that was put off comes again no sooner than this, ms, and no later than that. */
const PUT_OFF_MS = 500;
const MAX_PUT_OFF_MS = 20_000;
/** So many that are put off one after the other come again at the same time. */
const PUT_OFF_TOGETHER = 20;

export type TenantShares = {
  hasRoom(tenant: string): boolean;
  began(tenant: string): void;
  ended(tenant: string): void;
  /** How long the next one of this tenant is put off, ms. */
  waitMs(tenant: string): number;
};

export function createTenantShares(maxRunsPerTenant: number): TenantShares {
  const running = new Map<string, number>();
  /** Since a run of the tenant has ended. */
  const putOff = new Map<string, number>();
  return {
    hasRoom: (tenant) => (running.get(tenant) ?? 0) < maxRunsPerTenant,
    began: (tenant) => void running.set(tenant, (running.get(tenant) ?? 0) + 1),
    ended(tenant) {
      putOff.delete(tenant);
      const left = (running.get(tenant) ?? 1) - 1;
      if (left > 0) running.set(tenant, left);
      else running.delete(tenant);
    },
    waitMs(tenant) {
      const before = putOff.get(tenant) ?? 0;
      putOff.set(tenant, before + 1);
      return Math.min(PUT_OFF_MS * (1 + Math.floor(before / PUT_OFF_TOGETHER)), MAX_PUT_OFF_MS);
    },
  };
}
