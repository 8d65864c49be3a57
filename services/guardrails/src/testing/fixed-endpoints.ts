// Endpoints with fixed replies, for tests of many texts. Other tests call a real server (testing/guard-server.ts).
import type { GuardEndpoints } from '../endpoints/guard-endpoints.ts';

/** Every name is an endpoint that blocks texts with "vile", and replaces "Ada" by "A.". */
export const FIXED_ENDPOINTS: GuardEndpoints = {
  getMaxRequestBytes: () => 64 * 1_048_576,
  ask: async (_, { texts }) => {
    if (texts.some((text) => text.includes('vile'))) return { action: 'block' };
    if (!texts.some((text) => text.includes('Ada'))) return { action: 'allow' };
    return { action: 'replace', texts: texts.map((text) => text.replaceAll('Ada', 'A.')) };
  },
  close: async () => undefined,
};
