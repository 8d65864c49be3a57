// Discovery: shows what a process serves (processors, tools, public verbs) to whoever asks.
import { advertise, type Bus, type Endpoint } from '@millrace/bus';
import type { ServiceLimits } from '@millrace/contracts';
import type { Resources } from '@millrace/service';

export type AdvertiseServiceOptions = {
  bus: Bus;
  resources: Resources;
  /** The service's version and one sentence about it. */
  version: string;
  description: string;
  endpoints: Endpoint[];
  limits: ServiceLimits;
};

/** Call it last: what is released first is what others find the rest by. */
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
