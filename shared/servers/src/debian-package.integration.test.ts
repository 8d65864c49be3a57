// Debian's packages for real, into an empty cache, and where tests run as root as a user who may write nothing else.
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { findDebianPackage } from './debian-package.ts';
import { contextOf, findProgram } from './find-program.ts';
import { currentHost } from './host.ts';
import { natsProduct, redisProduct, type Product } from './product.ts';
import { searchPath } from './search-path.ts';
import { scratchDir } from './testing/scratch-dir.ts';
