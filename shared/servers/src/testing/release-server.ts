// A local HTTP server instead of GitHub's releases: returns configured answers by path, and can misbehave.
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { describeCurrentHost } from '../process/host.ts';
import type { Product } from '../find/product.ts';
import { runCommand } from '../process/run-command.ts';

export type ServerAnswer = (response: ServerResponse) => void;

export type ReleaseServer = {
  url: string;
  /** The paths asked for, in order. */
  requests: readonly string[];
};

export async function serveReleases(answers: ReadonlyMap<string, ServerAnswer>): Promise<ReleaseServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const answer = answers.get(path) ?? ((missing) => missing.writeHead(404).end());
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the release server has no port');
  return { url: `http://127.0.0.1:${address.port}`, requests };
}

export const send =
  (body: string | Buffer): ServerAnswer =>
  (response) => {
    response.end(body);
  };

/** Accepts the request and never answers. */
export const hang: ServerAnswer = () => {};

/** Sends the first half, and then nothing more. */
export const stall =
  (body: Buffer): ServerAnswer =>
  (response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2));
  };

export type ReleaseFixture = {
  /** The product with the packed archive's own checksum pinned. */
  product: Product;
  assetPath: string;
  archive: Buffer;
};

/** Packs a directory that holds the program, the way the product's publisher does. */
export async function packRelease(product: Product, programDir: string, workDir: string): Promise<ReleaseFixture> {
  const { release } = product;
  if (typeof release === 'string') throw new Error(release);
  const { env, platform, arch } = describeCurrentHost();
  const asset = release.assets[`${platform}-${arch}`];
  if (asset === undefined) throw new Error('no release for this machine');
  const archivePath = join(workDir, asset.name);
  const packed = await runCommand('tar', ['-czhf', archivePath, '-C', dirname(programDir), '.'], {
    env: { PATH: env['PATH'] },
    timeoutMs: 60_000,
  });
  if (!packed.ok) throw new Error(packed.failure);
  const archive = await readFile(archivePath);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  return {
    product: pinProduct(product, sha256),
    assetPath: `/${release.repository}/releases/download/v${release.version}/${asset.name}`,
    archive,
  };
}

/** The product with another checksum for this machine's archive. */
export function pinProduct(product: Product, sha256: string): Product {
  const { release } = product;
  if (typeof release === 'string') throw new Error(release);
  const { platform, arch } = describeCurrentHost();
  const key = `${platform}-${arch}`;
  const asset = release.assets[key];
  if (asset === undefined) throw new Error('no release for this machine');
  return { ...product, release: { ...release, assets: { ...release.assets, [key]: { ...asset, sha256 } } } };
}
