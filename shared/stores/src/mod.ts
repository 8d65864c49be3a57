// What the three memory services share, so that they cannot drift apart.
export { checkTenant } from './check-tenant.ts';
export { memoryOwner, ownerOfResource, ownerOfThread, resourceOf } from './memory-owner.ts';
