// Advertises the processors, tools and public verbs of a process to discovery.
import { advertise, type Bus, type MicroEndpoint } from '@millrace/bus';
import type { ServiceLimits } from '@millrace/contracts';
import type { Resources } from '@millrace/service';

export type AdvertiseServiceOptions = {
  bus: Bus;
  resources: Resources;
  /** The service's version and one sentence about it. */
  version: string;
  description: string;
  endpoints: MicroEndpoint[];
  limits: ServiceLimits;
};

/** Call it last: resources are released in reverse order, and clients must stop finding the service first. */
export function advertiseService({
  bus,
  resources,
  version,
  description,
  endpoints,
  limits,
}: AdvertiseServiceOptions): void {
  resources.add(
    'discovery',
    advertise(bus, { name: bus.name, version, description, limits, endpoints: () => endpoints }),
  );
}
