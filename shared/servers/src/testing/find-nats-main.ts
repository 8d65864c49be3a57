// One search for nats-server in a process of its own, for tests of two at once. Arguments: cache directory, release server.
import { findNats } from '../find-program.ts';

const [cacheDir = '', releasesUrl = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await findNats({ cacheDir, releasesUrl })));
