// UUIDs in their text form (RFC 9562, section 4), of any version.
import { hitsOf, type Detector } from '../pii-types.ts';

const uuidShape = /(?<![0-9a-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])/gi;

export const uuid: Detector = {
  type: 'uuid',
  detect: ({ text }) => hitsOf('uuid', text, uuidShape),
};
