// Opens pages with page.ts in the Chromium of this machine, served by an HTTP server of the test.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';
import { findChromium } from './chromium-path.ts';
import type { MillracePage } from './page.ts';

declare global {
  var millrace: MillracePage;
}

const START_TIMEOUT_MS = 60_000;

export type TestBrowser = {
  /** Address of the page. */
  readonly url: string;
  /** Resolves when the script of the page has run. */
  openPage(): Promise<Page>;
  /** Opens a page that another server serves. */
  openAt(url: string): Promise<Page>;
};

/** Call it after useNats. */
export function useBrowser(): TestBrowser {
  let opened: { browser: Browser; server: Server; url: string } | undefined;
  const getOpened = () => {
    if (!opened) throw new Error('useBrowser: the browser is there only while the tests run');
    return opened;
  };
  beforeAll(async () => {
    const executablePath = findChromium();
    const script = await bundlePage();
    const server = createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript ? script : '<!doctype html><title>page</title><script type="module" src="/page.js"></script>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an AddressInfo
    const { port } = server.address() as AddressInfo;
    opened = {
      browser: await chromium.launch({ executablePath }),
      server,
      url: `http://127.0.0.1:${port}`,
    };
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await opened?.browser.close();
    opened?.server.closeAllConnections();
    await new Promise((resolve) => (opened ? opened.server.close(resolve) : resolve(undefined)));
  });
  const openAt = async (url: string) => {
    const page = await getOpened().browser.newPage();
    await page.goto(url);
    return page;
  };
  return {
    get url() {
      return getOpened().url;
    },
    openPage: () => openAt(getOpened().url),
    openAt,
  };
}

async function bundlePage(): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'page.ts'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return output[0].code;
}
