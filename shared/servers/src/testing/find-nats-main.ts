// One search for nats-server in a process of its own, for tests of two at once. Arguments: cache directory, release server, the
// SHA-256 to pin.
import { find } from '../find/find-program.ts';
import { natsProduct } from '../find/product.ts';
import { pinProduct } from './release-server.ts';

const [cacheDir = '', releasesUrl = '', sha256 = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await find(pinProduct(natsProduct, sha256), { cacheDir, releasesUrl })));
