// One fetch of a Debian package in a process of its own, so that a test can run it as another user. Arguments: program, cache.
import { findDebianPackage } from '../find/debian-package.ts';
import { createContext } from '../find/find-program.ts';
import { natsProduct, redisProduct } from '../find/product.ts';

const [program = '', cacheDir = ''] = process.argv.slice(2);
const product = [natsProduct, redisProduct].find((candidate) => candidate.program === program);
if (product === undefined) throw new Error(`unknown program: ${program}`);
process.stdout.write(JSON.stringify(await findDebianPackage(product, createContext({ cacheDir }))));
