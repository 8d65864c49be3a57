// The Chromium of this machine.
import { existsSync } from 'node:fs';

const PATHS = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium'];
/** Undefined: no test of a browser can run. */
export const chromiumPath = PATHS.find((path) => path !== '' && existsSync(path));
