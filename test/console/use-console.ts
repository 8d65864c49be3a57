// The console in the Chromium of this machine, served by a gateway of the test. If the machine cannot reach the
// packages of the console, the tests are skipped with a line.
import { createServer } from 'node:net';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { useNats, useRedis, useStack, type TestNats, type TestStack } from '@millrace/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { buildConsole } from './build-console.ts';
import { findChromium } from '../e2e/browser/chromium-path.ts';

const BUILD_MS = 180_000;
export const patient = { timeout: 20_000 };
export const PHONE = { width: 390, height: 844 };

type OpenedPage = { page: Page; problems: string[] };
export type TestConsole = {
  readonly stack: TestStack;
  readonly url: string;
  readonly nats: TestNats;
  /** Key of an operator with all scopes. */
  readonly key: string;
  /** Opens a page without a session. Its errors must be none at the end of the test, unless `isFaulty`. */
  open(path?: string, options?: BrowserContextOptions & { isFaulty?: boolean }): Promise<OpenedPage>;
  /** Opens a page with a session of the key. */
  signIn(path?: string, options?: BrowserContextOptions & { isFaulty?: boolean; key?: string }): Promise<OpenedPage>;
  /** Signs in once for all tests of the block: each fails on errors that the page reports during it. */
  usePage(): () => Page;
  startGateway(): Promise<void>;
};

/** Tests kill them. */
const KILLED = ['orchestrator', 'gateway'];
const SERVICES = ['orchestrator', 'guardrails', 'tools', 'auth', 'semantic-recall'];

export function useConsole(): TestConsole {
  const nats = useNats();
  const redis = useRedis();
  const stack = useStack(nats, SERVICES, () => ({ EMBEDDING_MODEL: 'openai/hashed-ngram' }), {
    processes: KILLED,
  });
  let opened: { browser: Browser; folder: string; port: number; key: string } | undefined;
  const get = () => {
    if (!opened) throw new Error('useConsole: the console is there only while the tests run');
    return opened;
  };
  const startGateway = () =>
    stack.start('gateway', {
      GATEWAY_PORT: String(get().port),
      CONSOLE_DIR: get().folder,
      REDIS_URL: redis.urlAs('gateway'),
    });
  beforeAll(async () => {
    const executablePath = findChromium();
    const folder = await buildConsole();
    if (folder === undefined) return;
    const memories = ['message-history', 'working-memory'].map((name) =>
      stack.start(name, { REDIS_URL: redis.urlAs(name) }),
    );
    const [browser, port, { key }] = await Promise.all([
      chromium.launch({ executablePath, args: ['--no-sandbox'] }),
      findFreePort(),
      stack.client.keys.create({ scopes: ['run', 'read', 'answer', 'act-as', 'operate', 'admin'], label: 'console' }),
      ...memories,
    ]);
    opened = { browser, folder, port, key };
    await startGateway();
  }, BUILD_MS);
  beforeEach(({ skip }) => skip(opened === undefined, 'the console cannot be built'));
  afterAll(() => opened?.browser.close());

  const openPage = (path: string, options: BrowserContextOptions = {}) =>
    openIn(get().browser, `http://127.0.0.1:${get().port}/console${path}`, options);
  const open: TestConsole['open'] = async (path = '/', { isFaulty = false, ...options } = {}) => {
    const { page, problems, close } = await openPage(path, options);
    onTestFinished(async () => {
      await close();
      expect(isFaulty ? [] : problems).toEqual([]);
    });
    return { page, problems };
  };
  return {
    stack,
    nats,
    get url() {
      return `http://127.0.0.1:${get().port}`;
    },
    get key() {
      return get().key;
    },
    open,
    async signIn(path = '/', { key = get().key, ...options } = {}) {
      const opened = await open(path, options);
      await enter(opened.page, key);
      return opened;
    },
    usePage() {
      let shared: Awaited<ReturnType<typeof openPage>> | undefined;
      beforeAll(async () => {
        if (!opened) return;
        shared = await openPage('/');
        await enter(shared.page, opened.key);
      });
      afterEach(() => expect(shared?.problems.splice(0) ?? []).toEqual([]));
      afterAll(() => shared?.close());
      return () => {
        if (!shared) throw new Error('usePage: the page is there only while the tests run');
        return shared.page;
      };
    },
    startGateway,
  };
}

async function openIn(browser: Browser, url: string, options: BrowserContextOptions) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
  page.on('pageerror', (error) => void problems.push(error.message));
  await page.goto(url);
  return { page, problems, close: () => context.close() };
}

async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('main#main').waitFor();
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}
