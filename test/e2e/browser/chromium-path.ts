// The Chromium of this machine. The shell without windows has the same engine and takes a third less processor time.
import { existsSync } from 'node:fs';

const PATHS = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
/** Undefined: no test of a browser can run. */
export const chromiumPath = PATHS.find((path) => path !== '' && existsSync(path));
